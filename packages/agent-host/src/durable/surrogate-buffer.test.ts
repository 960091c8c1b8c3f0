import { describe, expect, test } from 'vitest';
import type { RunEventBody } from '@toolyard/protocol';
import { SurrogateBuffer } from './surrogate-buffer.ts';

const [HIGH, LOW] = ['\ud835', '\udcb3'];
const text = (piece: string): RunEventBody => ({ type: 'text_delta', messageId: 'm', text: piece });
const args = (callId: string, piece: string): RunEventBody => {
  return { type: 'tool_call_delta', messageId: 'm', callId, argumentsText: piece };
};

function pass(...bodies: RunEventBody[]): RunEventBody[] {
  const surrogates = new SurrogateBuffer();
  return bodies.flatMap((body) => surrogates.pass(body));
}

describe('SurrogateBuffer', () => {
  test('joins a character that was split between two deltas', () => {
    expect(pass(text(`a${HIGH}`), text(`${LOW}b`))).toEqual([text('a'), text(`${HIGH}${LOW}b`)]);
    expect(pass(text(HIGH), text(LOW))).toEqual([text(`${HIGH}${LOW}`)]);
  });

  test('keeps the halves of two calls apart', () => {
    const bodies = pass(args('1', HIGH), args('2', `x${HIGH}`), args('1', LOW), args('2', LOW));
    expect(bodies).toEqual([args('2', 'x'), args('1', `${HIGH}${LOW}`), args('2', `${HIGH}${LOW}`)]);
  });

  test('does not lose a half whose other half is missing', () => {
    const end: RunEventBody = {
      type: 'message_finished',
      message: {
        id: 'm',
        parentId: null,
        createdAt: 0,
        role: 'assistant',
        parts: [],
        runId: 'r',
        model: 'x',
        finishReason: 'stop',
      },
    };
    expect(pass(text(`a${HIGH}`), end)).toEqual([text('a'), text(HIGH), end]);
  });
});

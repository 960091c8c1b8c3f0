import type { AssistantPart, ErrorCode, Message } from '@toolyard/protocol';
import { describe, expect, it } from 'vitest';
import { buildRows } from './build-rows.ts';
import { DisplayedRows } from './displayed-rows.ts';
import { answerText } from './find-row.ts';
import { markAnswers } from './mark-answers.ts';
import type { TranscriptRow } from './rows.ts';
import { assistantMessage, toolCall, toolMessage, toolResult, userMessage } from './test-fixtures/test-events.ts';
import { rowList } from './transcript.ts';
import type { RowList } from './transcript.ts';

/** A message that makes one call, after the parts before it, and its result. */
function step(number: number, parts: AssistantPart[] = []): Message[] {
  const id = `a${String(number)}`;
  const callId = `c${String(number)}`;
  return [
    assistantMessage(id, [...parts, toolCall(callId)], { finishReason: 'tool_calls' }),
    toolMessage(`t${String(number)}`, callId, toolResult('noon'), id),
  ];
}

function toRows(messages: readonly Message[]): readonly TranscriptRow[] {
  return markAnswers(buildRows({ messages, alternatives: {}, abandoned: [] }));
}

function listed(rows: RowList): string[] {
  return Array.from({ length: rows.length }, (_, index) => {
    const row = rows.at(index);
    return row?.kind === 'assistant' ? `${row.key}: ${row.blocks.map(({ type }) => type).join(' ')}` : (row?.key ?? '');
  });
}

const REASONING: AssistantPart = { type: 'reasoning', text: 'hm' };
const TEXT: AssistantPart = { type: 'text', text: 'Done.' };

describe('displayed rows', () => {
  const messages = [
    userMessage('u1', 'go'),
    ...step(1, [TEXT]),
    ...step(2),
    ...step(3, [REASONING, { type: 'text', text: '\n\n' }]),
    ...step(4, [TEXT]),
    assistantMessage('a5', [TEXT]),
  ];

  it('joins messages that only continue a sequence of calls, and no others', () => {
    const rows = toRows(messages);
    const displayed = new DisplayedRows();
    expect(listed(displayed.of(rowList({ history: rows, tail: [] })))).toEqual([
      'u1',
      'a1: text call call reasoning text call',
      'a4: text call',
      'a5: text',
    ]);
    expect(displayed.getKey('a3')).toBe('a1');
    expect(displayed.getKey('a5')).toBe('a5');
  });

  it('shows the failure of a request that is repeated once, and another failure as well', () => {
    const failed = (id: string, code: ErrorCode) =>
      assistantMessage(id, [{ type: 'error', error: { code, message: code } }], { finishReason: 'error' });
    const shown = (...codes: ErrorCode[]) =>
      listed(
        new DisplayedRows().of(
          rowList({
            history: toRows([userMessage('u1', 'go'), ...codes.map((code, at) => failed(`a${String(at)}`, code))]),
            tail: [],
          }),
        ),
      );
    expect(shown('context_exceeded', 'context_exceeded')).toEqual(['u1', 'a0: error']);
    expect(shown('overloaded', 'overloaded', 'overloaded')).toEqual(['u1', 'a0: error']);
    expect(shown('overloaded', 'context_exceeded')).toEqual(['u1', 'a0: error', 'a1: error']);
  });

  it('keeps the objects of unchanged rows while the run continues', () => {
    const history = toRows(messages);
    const other = { runId: 'r2', finishReason: 'tool_calls' } as const;
    const tail = toRows([
      assistantMessage('b1', [toolCall('d1')], other),
      assistantMessage('b2', [toolCall('d2')], other),
    ]);
    const user: TranscriptRow[] = [...toRows([userMessage('u2', 'again')])];
    const displayed = new DisplayedRows();
    const before = displayed.of(rowList({ history: [...history, ...user], tail }));
    const after = displayed.of(rowList({ history: [...history, ...user], tail: [...tail] }));
    expect(listed(before).at(-1)).toBe('b1: call call');
    expect(after.at(1)).toBe(before.at(1));
    expect(after.at(after.length - 1)).toBe(before.at(before.length - 1));
  });

  it('shows a row by itself after one that was cut', () => {
    const cut = assistantMessage('a1', [toolCall('c1')], { finishReason: 'length' });
    const next = assistantMessage('a2', [toolCall('c2')], { finishReason: 'tool_calls' });
    expect(new DisplayedRows().of(rowList({ history: toRows([cut, next]), tail: [] })).length).toBe(2);
  });

  it('makes a continued answer part of the one that was cut, also while it streams', () => {
    const history = toRows([
      userMessage('u1', 'go'),
      assistantMessage('a1', [{ type: 'text', text: 'One' }], { finishReason: 'cancelled' }),
    ]);
    const tail = toRows([assistantMessage('b1', [{ type: 'text', text: 'two' }], { runId: 'r2', parentId: 'a1' })]);
    const rows = new DisplayedRows().of(rowList({ history, tail }));
    expect(rows.at(1)).toMatchObject({ messageId: 'a1', head: true, isContinued: true });
    expect(rows.at(2)).toMatchObject({ messageId: 'b1', head: false, begin: { messageId: 'a1' } });
    expect(answerText(rowList({ history, tail }), 'b1')).toBe('One\n\ntwo');

    const settled = new DisplayedRows();
    expect(settled.of(rowList({ history, tail: [] })).at(1)).toBe(history[1]);
    expect(settled.of(rowList({ history, tail })).at(1)).toMatchObject({ isContinued: true });
  });
});

import { isJsonObject, type JsonValue } from '@toolyard/protocol';
import {
  anthropicReply,
  areKeysReadByNode,
  geminiReply,
  reply,
  responsesReply,
  type ModelReply,
} from '@toolyard/testing';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { createDialect as anthropicDialect } from '../anthropic-messages/dialect.ts';
import { createDialect as geminiDialect } from '../google-gemini/dialect.ts';
import { createDialect as chatDialect } from '../openai-chat/dialect.ts';
import { createDialect as responsesDialect } from '../openai-responses/dialect.ts';
import { request, tool } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';
import type { ApiDialect } from './dialect.ts';
import { AnswerBody } from './event-stream.ts';

const errors = { server: 'http://h', address: 'http://h', model: 'm', hasKey: true, redact: (text: string) => text };
const chatRequest = request('hi', { tools: [tool('f')] });

const SCRIPTS: readonly { name: string; dialect: ApiDialect; whole: ModelReply }[] = [
  {
    name: 'openai-chat',
    dialect: chatDialect(),
    whole: reply.toolCalls(
      [
        { name: 'f', arguments: { x: 1 } },
        { name: 'f', arguments: {} },
      ],
      { text: 'Hello there', reasoning: 'Hm, well', usage: { prompt_tokens: 1 } },
    ),
  },
  {
    name: 'openai-responses',
    dialect: responsesDialect(),
    whole: responsesReply([
      { type: 'reasoning', summary: ['Hm, well'], encrypted: 'x' },
      { type: 'message', text: 'Hello there', annotations: [{ url: 'https://example.org' }] },
      { type: 'function_call', callId: 'a', name: 'f', arguments: { x: 1 } },
      { type: 'function_call', callId: 'b', name: 'f', arguments: {} },
    ]),
  },
  {
    name: 'anthropic-messages',
    dialect: anthropicDialect(),
    whole: anthropicReply([
      { type: 'thinking', thinking: 'Hm, well', signature: 'x' },
      { type: 'text', text: 'Hello there', citations: [{ url: 'https://example.org' }] },
      { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
      { type: 'tool_use', id: 'b', name: 'f', input: {} },
    ]),
  },
  {
    name: 'google-gemini',
    dialect: geminiDialect(),
    whole: geminiReply([
      { text: 'Hm, well', thought: true },
      { text: 'Hello there', thoughtSignature: 'x' },
      { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'y' },
      { functionCall: { id: 'b', name: 'f' } },
    ]),
  },
];

/** A mutation of one event of an answer. */
type Mutation = { at: number; how: 'drop' | 'twice' | 'swap' | 'value' | 'cut'; where: number; value: JsonValue };

const mutation: fc.Arbitrary<Mutation> = fc.record({
  at: fc.nat(60),
  how: fc.constantFrom('drop', 'twice', 'swap', 'value', 'value', 'value', 'cut'),
  where: fc.nat(30),
  value: fc.oneof(
    (fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<JsonValue>).filter(areKeysReadByNode),
    fc.constantFrom<JsonValue>(null, '', -1, {}, []),
  ),
});

function mutate(events: readonly string[], mutations: readonly Mutation[]): string[] {
  const out = [...events];
  for (const { at, how, where, value } of mutations) {
    const place = at % Math.max(1, out.length);
    const event = out[place] ?? '';
    if (how === 'drop') out.splice(place, 1);
    else if (how === 'twice') out.splice(place, 0, event);
    else if (how === 'swap') out.splice(place, 1, out[where % out.length] ?? '');
    else if (how === 'cut') out.splice(place + 1);
    else
      out[place] = event.replace(
        /data: (\{.*\})/,
        (_, json: string) => `data: ${JSON.stringify(replaced(JSON.parse(json) as JsonValue, where, value))}`,
      );
  }
  return out;
}

/** The value with its `where`-th nested value replaced. */
function replaced(root: JsonValue, where: number, value: JsonValue): JsonValue {
  let remaining = where;
  const visit = (at: JsonValue): JsonValue => {
    if (remaining-- === 0) return value;
    if (Array.isArray(at)) return at.map(visit);
    return isJsonObject(at) ? Object.fromEntries(Object.entries(at).map(([key, item]) => [key, visit(item)])) : at;
  };
  return visit(root);
}

function read(dialect: ApiDialect, events: readonly string[]): StreamPart[] {
  const answer = dialect.answer(chatRequest, errors);
  const body = new AnswerBody(answer, errors);
  const out: StreamPart[] = [];
  for (const event of events) {
    if (answer.ended) break;
    body.push(new TextEncoder().encode(event), out);
  }
  if (!answer.ended) body.end(out);
  return out;
}

describe.each(SCRIPTS)('$name', ({ dialect, whole }) => {
  const events = whole.writes.map((bytes) => new TextDecoder().decode(bytes));

  test('with arbitrarily mutated events, an answer ends once and its parts are consistent', () => {
    fc.assert(
      fc.property(fc.array(mutation, { minLength: 1, maxLength: 6 }), (harms) => {
        const parts = read(dialect, mutate(events, harms));
        const ends = parts.filter((part) => part.type === 'finish' || part.type === 'error');
        expect(ends).toHaveLength(1);
        expect(parts.at(-1)).toBe(ends[0]);
        const indexes = parts.flatMap((part) => (part.type === 'tool_call' ? [part.index] : []));
        expect(new Set(indexes).size).toBe(indexes.length);
        for (const part of parts) {
          if (part.type === 'text' || part.type === 'reasoning') expect(typeof part.text).toBe('string');
          if (part.type !== 'tool_call') continue;
          expect(part.name).not.toBe('');
          const own = parts.filter((other) => 'index' in other && other.index === part.index);
          expect(own[0]?.type).toBe('tool_call_start');
          const deltas = own.flatMap((other) => (other.type === 'tool_call_delta' ? [other.argumentsText] : []));
          expect(deltas.join('')).toBe(part.argumentsText);
        }
      }),
      cases(400),
    );
  });

  test('without mutation, the answer is unchanged', () => {
    const parts = read(dialect, events);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect(parts.filter((part) => part.type === 'tool_call').map((part) => part.arguments)).toEqual([{ x: 1 }, {}]);
  });
});

import { fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import { areKeysReadByNode, isKeyReadByNode } from '@toolyard/testing';
import type { StreamPart } from '../types.ts';
import { joined } from '../test-fixtures/requests.ts';
import { WebApiDecoder, WebApiEncoder, type WebApiEvent } from './events.ts';

const encoded = (...batches: StreamPart[][]): WebApiEvent[] => {
  const encoder = new WebApiEncoder('openai');
  return batches.flatMap((parts) => encoder.encode(parts));
};

function decoded(events: readonly { event: string; data: JsonValue }[]): StreamPart[] {
  const decoder = new WebApiDecoder();
  const out: StreamPart[] = [];
  for (const { event, data } of events) decoder.push(event, data, out);
  return out;
}

const there = (parts: StreamPart[]): StreamPart[] =>
  // Serialized as over the network, where only JSON survives.
  decoded(encoded(parts).map(({ event, data }) => ({ event, data: JSON.parse(JSON.stringify(data)) as JsonValue })));

describe('the events of an answer', () => {
  test('have the names and data that existing clients expect', () => {
    const events = encoded(
      [
        { type: 'reasoning', text: 'hm' },
        { type: 'reasoning_signature', signature: 'sig' },
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      [
        { type: 'tool_call_start', index: 0, id: 'c1', name: 'f' },
        { type: 'tool_call_delta', index: 0, argumentsText: '{"x":' },
        { type: 'tool_call_delta', index: 0, argumentsText: '1}' },
        { type: 'tool_call', index: 0, id: 'c1', name: 'f', arguments: { x: 1 }, argumentsText: '{"x":1}' },
        { type: 'image', mimeType: 'image/png', source: { data: 'AAAA' } },
        { type: 'citation', url: 'https://a.example/', title: 'A' },
        { type: 'usage', usage: { inputTokens: 3, outputTokens: 11, cachedInputTokens: 2, reasoningTokens: 1 } },
        { type: 'timing', firstMs: 100, totalMs: 1100 },
        { type: 'finish', reason: 'tool_calls' },
      ],
    );
    expect(events).toEqual([
      { event: 'reasoning', data: 'hm' },
      { event: 'reasoning_signature', data: 'sig' },
      { event: 'text', data: 'ab' },
      { event: 'tool_calls', data: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f' } }] },
      { event: 'tool_calls', data: [{ index: 0, type: 'function', function: { arguments: '{"x":' } }] },
      { event: 'tool_calls', data: [{ index: 0, type: 'function', function: { arguments: '1}' } }] },
      {
        event: 'tool_calls',
        data: [{ index: 0, id: 'c1', type: 'function', function: { name: 'f', arguments: '' }, whole: true }],
      },
      { event: 'base64_image', data: 'data:image/png;base64,AAAA' },
      { event: 'grounding', data: { citations: [{ url: 'https://a.example/', title: 'A' }] } },
      {
        event: 'usage',
        data: {
          totalInputTokens: 3,
          totalOutputTokens: 11,
          totalTokens: 14,
          inputCachedTokens: 2,
          outputReasoningTokens: 1,
        },
      },
      { event: 'speed', data: { ttft: 100, latency: 1100, duration: 1000, tps: 11 } },
      { event: 'stop', data: 'tool_calls' },
    ]);
  });

  test('report an error with code, provider and hint, and nothing else', () => {
    const error = { code: 'rate_limited', message: 'Slow down.', hint: 'Wait.', retryable: true, retryAfterMs: 9 };
    expect(encoded([{ type: 'error', error: { ...error, code: 'rate_limited' } }])).toEqual([
      {
        event: 'error',
        data: {
          type: 'rate_limited',
          message: 'Slow down.',
          provider: 'openai',
          body: { hint: 'Wait.', retryable: true, retryAfterMs: 9 },
        },
      },
    ]);
  });

  test('contain no timing if none was measured', () => {
    const [speed] = encoded([{ type: 'timing', firstMs: 5, totalMs: 5 }]);
    expect(speed?.data).toEqual({ ttft: 5, latency: 5, duration: 0 });
  });
});

const text = fc.string({ unit: 'grapheme' }).filter((some) => some !== '');
const json = (fc.jsonValue() as fc.Arbitrary<JsonValue>).filter(areKeysReadByNode);
const args = fc.dictionary(fc.string().filter(isKeyReadByNode), json);
/** A call in the forms of all wires: complete, in pieces, at once, or malformed. */
const call = fc
  .record({ id: fc.option(fc.string(), { nil: undefined }), args, cut: fc.boolean(), deltas: fc.boolean() })
  .map(({ id, args, cut, deltas }) => (index: number): StreamPart[] => {
    const json = JSON.stringify(args);
    const argumentsText = cut ? json.slice(0, -1) : json;
    const base = { index, ...defined({ id }), name: 'f' };
    const middle = Math.ceil(argumentsText.length / 2);
    const pieces = [argumentsText.slice(0, middle), argumentsText.slice(middle)].filter((piece) => piece !== '');
    return [
      { type: 'tool_call_start', ...base },
      ...(deltas ? pieces.map((piece) => ({ type: 'tool_call_delta' as const, index, argumentsText: piece })) : []),
      { type: 'tool_call', ...base, arguments: cut ? null : (JSON.parse(json) as typeof args), argumentsText },
    ];
  });
const other = fc.oneof<fc.Arbitrary<StreamPart>[]>(
  text.map((value) => ({ type: 'text' as const, text: value })),
  text.map((value) => ({ type: 'reasoning' as const, text: value })),
  fc.string().map((signature) => ({ type: 'reasoning_signature' as const, signature })),
  fc
    .record({ raw: fc.string(), reason: fc.string() })
    .map((value) => ({ type: 'malformed_tool_call' as const, ...value })),
  fc.constantFrom<StreamPart>(
    { type: 'image', mimeType: 'image/webp', source: { data: 'AAAA' } },
    { type: 'image', mimeType: 'image/webp', source: { url: 'https://a.example/b.webp' } },
  ),
  fc.record({ url: fc.webUrl(), title: fc.string() }).map((value) => ({ type: 'citation' as const, ...value })),
  fc.record({ code: fc.string(), text: fc.string() }).map((value) => ({ type: 'notice' as const, ...value })),
);
const end = fc.constantFrom<StreamPart>(
  { type: 'finish', reason: 'stop' },
  { type: 'finish', reason: 'length' },
  { type: 'finish', reason: 'content_filter' },
  { type: 'error', error: { code: 'stream_broken', message: 'Cut.', hint: 'Again.', retryable: true } },
);

test('decode to the same parts for every answer', () => {
  const answer = fc
    .record({ before: fc.array(other), calls: fc.array(call), after: fc.array(other), end })
    .map(({ before, calls, after, end: last }): StreamPart[] => [
      ...before,
      ...calls.flatMap((make, index) => make(index)),
      ...after,
      { type: 'usage', usage: { inputTokens: 1, outputTokens: 20 } },
      { type: 'timing', firstMs: 3, totalMs: 9 },
      last,
    ]);
  fc.assert(
    fc.property(answer, (parts) => {
      expect(joined(there(parts))).toEqual(joined(parts));
    }),
  );
});

describe('events of other servers', () => {
  test('complete a call without an end event when the answer completes', () => {
    const parts = decoded([
      { event: 'tool_calls', data: [{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }] },
      { event: 'tool_calls', data: [{ index: 0, function: { arguments: '{"x":1}' } }] },
      { event: 'stop', data: 'tool_calls' },
      { event: 'stop', data: 'message_stop' },
    ]);
    expect(parts.at(-2)).toMatchObject({ type: 'tool_call', id: 'a', arguments: { x: 1 } });
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
  });

  test('are ignored if unknown or malformed', () => {
    fc.assert(
      fc.property(
        fc.array(
          fc.record({
            event: fc.constantFrom(
              'text',
              'tool_calls',
              'usage',
              'speed',
              'grounding',
              'base64_image',
              'content_part',
              'notice',
              'data',
              'flagged_reasoning_signature',
              'constructor',
            ),
            data: json,
          }),
        ),
        (events) => {
          for (const part of decoded(events)) expect(part.type).not.toMatch(/finish|error/);
        },
      ),
    );
  });
});

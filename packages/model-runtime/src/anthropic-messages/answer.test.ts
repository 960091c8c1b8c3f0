import type { JsonObject } from '@toolyard/protocol';
import { anthropicEvents, anthropicReply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { body } from '../test-fixtures/anthropic-messages.ts';
import { assistant, call, collect, request, result, textIn, tool, user } from '../test-fixtures/requests.ts';
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ChatRequest } from '../types.ts';

const tools = [tool('f'), tool('g')];

async function ask(scripted: ModelReply, more: Partial<ChatRequest> = {}) {
  await using server = await startModelServer([scripted]);
  return await collect(runtimeOver('anthropic-messages', server.url), request('hi', more));
}

describe('responses', () => {
  const thinking = { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' } as const;

  test('preserves the order of thinking, signature and redacted thinking', async () => {
    const parts = await ask(
      anthropicReply([
        thinking,
        { type: 'redacted_thinking', data: 'aGlk' },
        { type: 'text', text: 'Yes.' },
        { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: 1 } },
      ]),
      { tools },
    );
    expect(parts.map((part) => part.type)).toEqual([
      'reasoning',
      'reasoning_signature',
      'reasoning_signature',
      'text',
      'tool_call_start',
      'tool_call_delta',
      'tool_call',
      'usage',
      'finish',
    ]);
  });

  test('replays thinking verbatim and in place, only to the model that produced it', async () => {
    await using server = await startModelServer(() =>
      anthropicReply([
        thinking,
        { type: 'redacted_thinking', data: 'aGlk' },
        { type: 'tool_use', id: 't1', name: 'f', input: {} },
      ]),
    );
    const parts = await collect(runtimeOver('anthropic-messages', server.url), request('hi', { tools }));
    const signatures = parts.flatMap((part) => (part.type === 'reasoning_signature' ? [part.signature] : []));
    const answer = assistant(
      { type: 'reasoning', text: 'Let me think.', signature: signatures[0] ?? '' },
      { type: 'reasoning', text: '', signature: signatures[1] ?? '' },
      call('c1', 'f', {}, 't1'),
    );
    const sent = (model: string, without: string[] = []) => {
      const messages = body([user('hi'), answer, result('c1', 'f', 'r')], { model, tools }, without)[
        'messages'
      ] as JsonObject[];
      return messages[1]?.['content'];
    };
    const use = { type: 'tool_use', id: 't1', name: 'f', input: {} };
    expect(sent('scripted')).toEqual([
      { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' },
      { type: 'redacted_thinking', data: 'aGlk' },
      use,
    ]);
    expect(sent('another')).toEqual([use]);
    expect(sent('scripted', ['replay'])).toEqual([use]);
  });

  test('thinking without a signature goes back before the call, but never to Claude', async () => {
    await using server = await startModelServer([
      anthropicReply([
        { type: 'thinking', thinking: 'I need it.' },
        { type: 'tool_use', id: 't1', name: 'f', input: {} },
      ] as never),
    ]);
    const parts = await collect(runtimeOver('anthropic-messages', server.url), request('hi', { tools }));
    const signature = parts.flatMap((part) => (part.type === 'reasoning_signature' ? [part.signature] : []))[0] ?? '';
    const sent = (model: string, by = model, without: string[] = []) => {
      const answer = {
        ...assistant({ type: 'reasoning', text: 'I need it.', signature }, call('c1', 'f', {}, 't1')),
        model: by,
      };
      const messages = body([user('hi'), answer, result('c1', 'f', 'r')], { model, tools }, without)['messages'];
      return (messages as JsonObject[])[1]?.['content'];
    };
    const use = { type: 'tool_use', id: 't1', name: 'f', input: {} };
    const thinking = (text: string) => ({ type: 'thinking', thinking: text, signature: '' });
    expect(sent('kimi')).toEqual([thinking('I need it.'), use]);
    expect(sent('claude-opus-4-8')).toEqual([use]);
    expect(sent('kimi', 'another')).toEqual([use]);
    // After a rejection of calls without thinking.
    expect(sent('kimi', 'another', ['calls_without_reasoning'])).toEqual([thinking('(no reasoning was kept)'), use]);
  });

  test('usage includes cache reads and writes', async () => {
    const usage = { input_tokens: 10, cache_read_input_tokens: 100, cache_creation_input_tokens: 5 };
    const parts = await ask(anthropicReply('hi', { usage, outputTokens: 7 }));
    expect(parts).toContainEqual({
      type: 'usage',
      usage: { inputTokens: 115, outputTokens: 7, cachedInputTokens: 100, cacheWriteTokens: 5 },
    });
  });

  test.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['something_new', 'stop'],
  ])('stop reason %s maps to %s', async (stopReason, reason) => {
    expect((await ask(anthropicReply('x', { stopReason }))).at(-1)).toEqual({ type: 'finish', reason });
  });

  test('never returns a call truncated by the token limit as complete', async () => {
    for (const input of ['{"x":', '']) {
      const parts = await ask(
        anthropicReply([{ type: 'tool_use', id: 't', name: 'f', input }], { stopReason: 'max_tokens' }),
        { tools },
      );
      expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_call', arguments: null }));
    }
  });

  test('reports each citation once', async () => {
    const citation = { type: 'web_search_result_location', url: 'https://example.org/a', title: 'A', cited_text: 'so' };
    const parts = await ask(anthropicReply([{ type: 'text', text: 'x', citations: [citation, citation] }]));
    expect(parts.filter((part) => part.type === 'citation')).toEqual([
      { type: 'citation', url: 'https://example.org/a', title: 'A', text: 'so' },
    ]);
  });

  const start = (index: number, block: JsonObject): JsonObject => ({
    type: 'content_block_start',
    index,
    content_block: block,
  });
  const delta = (index: number, value: JsonObject): JsonObject => ({
    type: 'content_block_delta',
    index,
    delta: value,
  });
  const stop = (index: number): JsonObject => ({ type: 'content_block_stop', index });
  const end: JsonObject[] = [
    { type: 'message_delta', delta: { stop_reason: 'tool_use' }, usage: { input_tokens: 3, output_tokens: 4 } },
    { type: 'message_stop' },
  ];
  const use = (id: string, name: string, input: JsonObject = {}): JsonObject => ({ type: 'tool_use', id, name, input });
  const json = (text: string): JsonObject => ({ type: 'input_json_delta', partial_json: text });

  test.each<[string, JsonObject[]]>([
    [
      'interleaved blocks',
      [
        start(0, use('a', 'f')),
        start(1, use('b', 'g')),
        delta(1, json('{"y":')),
        delta(0, json('{"x":1}')),
        delta(1, json('2}')),
        stop(1),
        stop(0),
      ],
    ],
    [
      'indexes that do not start at 0 and have gaps',
      [
        start(3, use('a', 'f')),
        delta(3, json('{"x":1}')),
        stop(3),
        start(7, use('b', 'g')),
        delta(7, json('{"y":2}')),
        stop(7),
      ],
    ],
    [
      'arguments in one piece',
      [start(0, use('a', 'f', { x: 1 })), stop(0), start(1, use('b', 'g', { y: 2 })), stop(1)],
    ],
    [
      'missing content_block_stop',
      [start(0, use('a', 'f')), delta(0, json('{"x":1}')), start(1, use('b', 'g')), delta(1, json('{"y":2}'))],
    ],
    [
      'missing message_start, repeated stop events',
      [start(0, use('a', 'f', { x: 1 })), stop(0), stop(0), start(1, use('b', 'g', { y: 2 })), stop(1)],
    ],
  ])('tolerates %s', async (_, events) => {
    const parts = await ask(anthropicEvents([...events, ...end]), { tools });
    const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.name, part.arguments]] : []));
    expect(calls.sort()).toEqual([
      ['a', 'f', { x: 1 }],
      ['b', 'g', { y: 2 }],
    ]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect(parts).toContainEqual({ type: 'usage', usage: { inputTokens: 3, outputTokens: 4 } });
  });

  test('accepts a stream without message_stop', async () => {
    const parts = await ask(anthropicEvents([start(0, { type: 'text', text: 'Hi' }), ...end.slice(0, 1)]));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect(textIn(parts)).toBe('Hi');
  });

  test('a paused turn is no complete answer', async () => {
    const paused = { type: 'message_delta', delta: { stop_reason: 'pause_turn' }, usage: {} };
    const parts = await ask(anthropicEvents([start(0, { type: 'text', text: 'Hi' }), paused]));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length' });
  });
});

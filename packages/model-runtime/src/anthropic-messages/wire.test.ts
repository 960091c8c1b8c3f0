import { isJsonObject, type JsonObject, type Message } from '@toolyard/protocol';
import { anthropicEvents, anthropicReply, reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { assistant, call, collect, request, result, system, textIn, tool, user } from '../test-fixtures/requests.ts';
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ChatRequest } from '../types.ts';
import { factsOf } from './models-data.ts';
import { toOutgoing } from './request.ts';

function body(messages: Message[] | string, more: Partial<ChatRequest> = {}, without: string[] = []): JsonObject {
  const outgoing = toOutgoing(request(messages, { model: 'claude-opus-4-8', ...more }), {}, new Set(without));
  return JSON.parse(outgoing.body) as JsonObject;
}

/** The marks of the prompt cache taken out: most tests are about something else. */
function unmarked(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, item: unknown) => (key === 'cache_control' ? undefined : item)));
}

async function ask(scripted: ModelReply, more: Partial<ChatRequest> = {}) {
  await using server = await startModelServer([scripted]);
  return await collect(runtimeOver('anthropic-messages', server.url), request('hi', more));
}

const png = { type: 'image', mimeType: 'image/png', source: { data: 'AAAA' } } as const;
const tools = [tool('f'), tool('g')];

describe('what is sent', () => {
  test('system apart, turns that alternate, results first in the turn that follows the calls', () => {
    const messages = [
      system('Be kind.'),
      user('one'),
      user('two', png),
      assistant('Let me see.', call('r.1.0', 'f', { x: 1 }, 'functions.f:0'), call('r.1.1', 'g', {}, 'toolu_9')),
      result('r.1.0', 'f', { content: [{ type: 'text', text: 'seen' }, png] }),
      result('r.1.1', 'g', { content: [{ type: 'text', text: 'no such file' }], isError: true }),
      user('and?'),
    ];
    const sent = body(messages, { tools });
    expect(unmarked(sent['system'])).toEqual([{ type: 'text', text: 'Be kind.' }]);
    expect(unmarked(sent['messages'])).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'one' },
          { type: 'text', text: 'two' },
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 'functions_f_0', name: 'f', input: { x: 1 } },
          { type: 'tool_use', id: 'toolu_9', name: 'g', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          {
            type: 'tool_result',
            tool_use_id: 'functions_f_0',
            content: [
              { type: 'text', text: 'seen\n[image: shown below]' },
              { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } },
            ],
          },
          { type: 'tool_result', tool_use_id: 'toolu_9', content: 'Error: no such file', is_error: true },
          { type: 'text', text: 'and?' },
        ],
      },
    ]);
    expect(unmarked(sent['tools'])).toEqual([
      { name: 'f', description: 'Does f.', input_schema: { type: 'object', properties: {} } },
      { name: 'g', description: 'Does g.', input_schema: { type: 'object', properties: {} } },
    ]);
  });

  test('documents, addresses, and what the API cannot take', () => {
    const [turn] = body([
      user(
        { type: 'file', mimeType: 'application/pdf', name: 'a.pdf', source: { data: 'BBBB' } },
        { type: 'image', mimeType: 'image/png', source: { url: 'https://example.org/a.png' } },
        { type: 'audio', mimeType: 'audio/wav', source: { data: 'CCCC' } },
        '   ',
      ),
    ])['messages'] as JsonObject[];
    expect(unmarked(turn?.['content'])).toEqual([
      { type: 'document', title: 'a.pdf', source: { type: 'base64', media_type: 'application/pdf', data: 'BBBB' } },
      { type: 'image', source: { type: 'url', url: 'https://example.org/a.png' } },
      { type: 'text', text: '[audio, audio/wav: cannot be sent to this model]' },
    ]);
  });

  test("marks for the prompt cache: the front, and the person's last two turns; never more than four", () => {
    const turn = (n: number) => [user(`q${n}`), assistant(`a${n}`)];
    const messages = [system('s'), ...turn(1), ...turn(2), ...turn(3), user('last')];
    const marks = (sent: JsonObject) => JSON.stringify(sent).match(/"cache_control"/g)?.length;
    const sent = body(messages, { tools });
    expect(marks(sent)).toBe(3);
    const turns = sent['messages'] as JsonObject[];
    expect(turns.map((each) => JSON.stringify(each).includes('cache_control'))).toEqual([
      false,
      false,
      false,
      false,
      true,
      false,
      true,
    ]);
    expect(JSON.stringify(sent['system'])).toContain('"cache_control":{"type":"ephemeral"}');
    expect(JSON.stringify(body([user('q')], { tools })['tools'])).toMatch(/"g".*cache_control/);
    expect(marks(body(messages, { tools }, ['cache_control']))).toBeUndefined();
  });

  test('the front stays byte for byte the same from turn to turn', () => {
    const first = [system('s'), user('q'), assistant('a', call('c1', 'f')), result('c1', 'f', 'r')];
    const text = (messages: Message[]) =>
      toOutgoing(request(messages, { tools, model: 'claude-opus-4-8' }), { noCacheMarks: true }, new Set()).body;
    const one = text(first);
    const two = text([...first, assistant('b'), user('more')]);
    const common = one.slice(0, one.indexOf(']}],"max_tokens"'));
    expect(two.startsWith(common)).toBe(true);
  });

  test.each([
    ['claude-opus-4-8', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['claude-sonnet-5', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['claude-fable-5-2', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['claude-mythos-preview', 'adaptive', ['low', 'medium', 'high', 'xhigh', 'max'], false],
    ['anthropic/claude-opus-4.6', 'adaptive', ['low', 'medium', 'high', 'max'], true],
    ['claude-opus-4-5-20251101', 'budget', [], true],
    ['claude-sonnet-4-20250514', 'budget', [], true],
    ['claude-3-7-sonnet-latest', 'budget', [], true],
    ['claude-3-5-haiku-20241022', 'none', [], true],
    ['claude-3-opus-20240229', 'none', [], true],
    ['deepseek-chat', 'budget', [], true],
  ])('%s thinks by %s', (model, thinking, efforts, sampling) => {
    expect(factsOf(model)).toMatchObject({ thinking, efforts, sampling });
  });

  test('how hard to think, as each generation wants to be told', () => {
    const told = (model: string, reasoningEffort: 'none' | 'minimal' | 'high' | 'xhigh', maxOutputTokens?: number) => {
      const limit = maxOutputTokens === undefined ? {} : { maxOutputTokens };
      const sent = body('hi', { model, parameters: { reasoningEffort, temperature: 0.5, ...limit } });
      return [sent['thinking'], sent['output_config'], sent['max_tokens'], sent['temperature']];
    };
    const adaptive = { type: 'adaptive', display: 'summarized' };
    expect(told('claude-opus-4-8', 'xhigh')).toEqual([adaptive, { effort: 'xhigh' }, 64_000, undefined]);
    expect(told('claude-opus-4-6', 'xhigh')).toEqual([adaptive, { effort: 'high' }, 64_000, undefined]);
    expect(told('claude-opus-4-6', 'none')).toEqual([{ type: 'disabled' }, undefined, 64_000, undefined]);
    expect(told('claude-opus-4-8', 'minimal')).toEqual([adaptive, { effort: 'low' }, 64_000, undefined]);
    expect(told('claude-sonnet-4-5', 'high')).toEqual([
      { type: 'enabled', budget_tokens: 20_000 },
      undefined,
      32_000,
      undefined,
    ]);
    expect(told('claude-sonnet-4-5', 'high', 1000)).toEqual([
      { type: 'enabled', budget_tokens: 20_000 },
      undefined,
      21_000,
      undefined,
    ]);
    expect(told('claude-sonnet-4-5', 'none')).toEqual([undefined, undefined, 32_000, 0.5]);
    expect(told('claude-3-5-haiku-latest', 'high')).toEqual([undefined, undefined, 8_192, 0.5]);
  });

  test('a forced call goes without thinking, which excludes it', () => {
    const parameters = { reasoningEffort: 'high' } as const;
    expect(body('hi', { tools, toolChoice: 'required', parameters })).not.toHaveProperty('thinking');
    expect(body('hi', { tools, toolChoice: { name: 'f' }, parameters })).toMatchObject({
      tool_choice: { type: 'tool', name: 'f' },
    });
    expect(body('hi', { tools, toolChoice: 'none', parameters })).toHaveProperty('thinking');
  });

  test('an answer that fits a schema', () => {
    const schema = { type: 'object', properties: { a: { type: 'object', properties: { b: { type: 'number' } } } } };
    const sent = body('hi', { responseFormat: { type: 'json_schema', name: 'n', schema } });
    expect(sent['output_config']).toEqual({
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: { a: { type: 'object', additionalProperties: false, properties: { b: { type: 'number' } } } },
        },
      },
    });
  });
});

describe('what comes back', () => {
  const thinking = { type: 'thinking', thinking: 'Let me think.', signature: 'c2ln' } as const;

  test('thinking, its signature and hidden thinking, in their order', async () => {
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

  test('thinking goes back word for word to the model that thought, in its place, and to no other', async () => {
    await using server = await startModelServer(() =>
      anthropicReply([
        thinking,
        { type: 'redacted_thinking', data: 'aGlk' },
        { type: 'tool_use', id: 't1', name: 'f', input: {} },
      ]),
    );
    const parts = await collect(runtimeOver('anthropic-messages', server.url), request('hi', { tools }));
    const kept = parts.flatMap((part) => (part.type === 'reasoning_signature' ? [part.signature] : []));
    const answer = assistant(
      { type: 'reasoning', text: 'Let me think.', signature: kept[0] ?? '' },
      { type: 'reasoning', text: '', signature: kept[1] ?? '' },
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

  test('usage counts what the cache gave and took', async () => {
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
  ])('%s is %s', async (stopReason, reason) => {
    expect((await ask(anthropicReply('x', { stopReason }))).at(-1)).toEqual({ type: 'finish', reason });
  });

  test('a call that the limit cut is not made with half its arguments, nor with none', async () => {
    for (const input of ['{"x":', '']) {
      const parts = await ask(
        anthropicReply([{ type: 'tool_use', id: 't', name: 'f', input }], { stopReason: 'max_tokens' }),
        { tools },
      );
      expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_call', arguments: null }));
    }
  });

  test('sources are named once', async () => {
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
      'blocks that take turns',
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
      'indexes that begin elsewhere and leave gaps',
      [
        start(3, use('a', 'f')),
        delta(3, json('{"x":1}')),
        stop(3),
        start(7, use('b', 'g')),
        delta(7, json('{"y":2}')),
        stop(7),
      ],
    ],
    ['arguments at once', [start(0, use('a', 'f', { x: 1 })), stop(0), start(1, use('b', 'g', { y: 2 })), stop(1)]],
    [
      'no end of a block',
      [start(0, use('a', 'f')), delta(0, json('{"x":1}')), start(1, use('b', 'g')), delta(1, json('{"y":2}'))],
    ],
    [
      'no start of the message, ends told twice',
      [start(0, use('a', 'f', { x: 1 })), stop(0), stop(0), start(1, use('b', 'g', { y: 2 })), stop(1)],
    ],
  ])('quirk: %s', async (_, events) => {
    const parts = await ask(anthropicEvents([...events, ...end]), { tools });
    const calls = parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.name, part.arguments]] : []));
    expect(calls.sort()).toEqual([
      ['a', 'f', { x: 1 }],
      ['b', 'g', { y: 2 }],
    ]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect(parts).toContainEqual({ type: 'usage', usage: { inputTokens: 3, outputTokens: 4 } });
  });

  test('quirk: no end of the message', async () => {
    const parts = await ask(anthropicEvents([start(0, { type: 'text', text: 'Hi' }), ...end.slice(0, 1)]));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    expect(textIn(parts)).toBe('Hi');
  });
});

describe('what a server refuses is done without', () => {
  const refusal = (message: string) =>
    reply.error(400, { type: 'error', error: { type: 'invalid_request_error', message } });

  async function after(message: string, more: Partial<ChatRequest> = {}) {
    await using server = await startModelServer([refusal(message), anthropicReply('ok'), anthropicReply('ok')]);
    const runtime = runtimeOver('anthropic-messages', server.url);
    const parts = await collect(runtime, request('hi', { model: 'claude-sonnet-4-5', ...more }));
    await collect(runtime, request('hi', { model: 'claude-sonnet-4-5', ...more }));
    expect(textIn(parts)).toBe('ok');
    const bodies = server.requests.map(({ body: sent }) => (isJsonObject(sent) ? sent : {}));
    return { parts, bodies };
  }

  test('the limit of tokens is learnt', async () => {
    const { bodies } = await after('max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens');
    expect(bodies.map((sent) => sent['max_tokens'])).toEqual([32_000, 8192, 8192]);
  });

  test('marks of the cache', async () => {
    const { bodies, parts } = await after('messages.0.content.0.cache_control: Extra inputs are not permitted');
    expect(bodies.map((sent) => JSON.stringify(sent).includes('cache_control'))).toEqual([true, false, false]);
    expect(parts.some((part) => part.type === 'notice')).toBe(false);
  });

  test('thinking in the middle of a turn that began without', async () => {
    const message =
      'messages.1.content.0.type: Expected `thinking` or `redacted_thinking`, but found `tool_use`. When `thinking` is enabled, ...';
    const { bodies, parts } = await after(message, { parameters: { reasoningEffort: 'low' } });
    expect(bodies.map((sent) => 'thinking' in sent)).toEqual([true, false, false]);
    expect(parts[0]).toMatchObject({ type: 'notice' });
  });

  test('a form of thinking the model does not know', async () => {
    const message = '"thinking.type.enabled" is not supported for this model. Use "thinking.type.adaptive"';
    const { bodies, parts } = await after(message, { parameters: { reasoningEffort: 'low' } });
    expect(bodies.map((sent) => 'thinking' in sent)).toEqual([true, false, false]);
    expect(parts[0]).toMatchObject({ type: 'notice', text: expect.stringContaining('reasoning effort') });
  });
});

test('the list of models goes over its pages', async () => {
  await using server = await startModelServer([], {
    models: reply.json({ data: [{ id: 'a', type: 'model', max_input_tokens: 5 }], has_more: true, last_id: 'a' }),
  });
  const models = await runtimeOver('anthropic-messages', server.url).models();
  expect(models).toEqual([{ id: 'a', contextWindow: 5 }]);
  expect(server.requests.map(({ path }) => path)).toEqual([
    '/v1/models?limit=1000',
    '/v1/models?limit=1000&after_id=a',
  ]);
});

test('what the API has not is refused in words', async () => {
  const runtime = runtimeOver('anthropic-messages', 'http://127.0.0.1:9');
  await expect(runtime.embeddings?.({ model: 'm', input: ['a'] })).rejects.toMatchObject({
    code: 'bad_request',
    message: expect.stringContaining('Anthropic messages API'),
  });
});

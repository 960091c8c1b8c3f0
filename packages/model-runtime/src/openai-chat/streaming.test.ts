import { systemClock, type JsonObject } from '@toolyard/protocol';
import { createFakeClock, eventually, reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { collect, errorIn, joined, request, textIn, tool } from '../test-fixtures/requests.ts';
import type { ChatRequest, StreamPart } from '../types.ts';
import { createOpenAiChatRuntime, type OpenAiChatOptions } from '../create-runtime.ts';

/** The parts of one scripted answer. */
async function ask(scripted: ModelReply, more: Partial<ChatRequest> = {}, options: Partial<OpenAiChatOptions> = {}) {
  await using server = await startModelServer([scripted]);
  const runtime = createOpenAiChatRuntime({
    baseUrl: server.url,
    fetch,
    clock: systemClock,
    maxRetries: 0,
    ...options,
  });
  // Awaited here: the server goes when this function does.
  return await collect(runtime, request('hi', more));
}

const chunk = (delta: JsonObject, more: JsonObject = {}): JsonObject => ({ choices: [{ index: 0, delta, ...more }] });
const finish = (reason: string) => ({ choices: [{ index: 0, delta: {}, finish_reason: reason }] });
const tools = [tool('f'), tool('g')];

describe('an answer in text', () => {
  test('comes as text, usage and a finish', async () => {
    const usage = {
      prompt_tokens: 3,
      completion_tokens: 5,
      prompt_tokens_details: { cached_tokens: 2 },
      completion_tokens_details: { reasoning_tokens: 1 },
    };
    expect(await ask(reply.text('Hello 世界 🙂', { usage, pieces: 1 }))).toEqual([
      { type: 'text', text: 'Hello 世界 🙂' },
      { type: 'usage', usage: { inputTokens: 3, outputTokens: 5, cachedInputTokens: 2, reasoningTokens: 1 } },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test.each<[string, ModelReply]>([
    ['usage in the last chunk', reply.text('hello', { usage: { prompt_tokens: 1 }, usageIn: 'last-chunk' })],
    [
      'usage in every chunk counts once',
      reply.events([
        { ...chunk({ content: 'hel' }), usage: { prompt_tokens: 1, completion_tokens: 9 } },
        { ...chunk({ content: 'lo' }), usage: { prompt_tokens: 1 } },
        finish('stop'),
        '[DONE]',
      ]),
    ],
    [
      'CRLF and comments',
      reply.text('hello', { newline: '\r\n', comments: true, split: 1, usage: { prompt_tokens: 1 } }),
    ],
    ['no [DONE]', reply.text('hello', { done: false, usage: { prompt_tokens: 1 } })],
    ['no finish but [DONE]', reply.text('hello', { finish: null, usage: { prompt_tokens: 1 } })],
    ['other choices left out', reply.text('hello', { otherChoices: ['other', 'more'], usage: { prompt_tokens: 1 } })],
    [
      'plain JSON',
      reply.json({
        choices: [{ index: 0, message: { role: 'assistant', content: 'hello' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 1 },
      }),
    ],
    [
      'plain JSON called an event stream',
      reply.raw(
        [
          JSON.stringify({
            choices: [{ message: { content: 'hello' }, finish_reason: 'stop' }],
            usage: { prompt_tokens: 1 },
          }),
        ],
        { split: 3 },
      ),
    ],
    [
      'events called text',
      reply.text('hello', { headers: { 'content-type': 'text/plain' }, usage: { prompt_tokens: 1 } }),
    ],
    [
      'data over several lines',
      reply.raw([
        'data: {"choices":[{"delta":\ndata: {"content":"hello"},\ndata: "finish_reason":"stop"}],"usage":{"prompt_tokens":1}}\n\n',
      ]),
    ],
    [
      'no blank line at the end',
      reply.raw([
        `data: ${JSON.stringify({ ...chunk({ content: 'hello' }, { finish_reason: 'stop' }), usage: { prompt_tokens: 1 } })}`,
      ]),
    ],
    [
      'events with one line end between',
      reply.raw([
        `data: ${JSON.stringify({ ...chunk({ content: 'hel' }), usage: { prompt_tokens: 1 } })}\ndata: ${JSON.stringify(chunk({ content: 'lo' }, { finish_reason: 'stop' }))}\ndata: [DONE]\n\n`,
      ]),
    ],
    [
      'content in an array',
      reply.events([
        { ...chunk({ content: [{ type: 'text', text: 'hel' }, 'lo'] }), usage: { prompt_tokens: 1 } },
        finish('stop'),
        '[DONE]',
      ]),
    ],
    [
      'a byte order mark and unknown fields',
      reply.raw([
        `\ufeffid: 1\nfoo: bar\nretry: x\ndata:${JSON.stringify({ ...chunk({ content: 'hello' }, { finish_reason: 'stop' }), usage: { prompt_tokens: 1 } })}\n\n`,
      ]),
    ],
    [
      'empty events',
      reply.raw([
        `data:\n\ndata: \n\ndata: ${JSON.stringify({ ...chunk({ content: 'hello' }, { finish_reason: 'stop' }), usage: { prompt_tokens: 1 } })}\n\n`,
      ]),
    ],
  ])('%s', async (_, scripted) => {
    expect(await ask(scripted)).toEqual([
      { type: 'text', text: 'hello' },
      { type: 'usage', usage: { inputTokens: 1 } },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test.each([
    ['length', 'length'],
    ['content_filter', 'content_filter'],
    ['function_call', 'tool_calls'],
    ['eos', 'stop'],
  ])('finish reason %s is %s', async (said, reason) => {
    expect((await ask(reply.text('x', { finish: said }))).at(-1)).toEqual({ type: 'finish', reason });
  });

  test.each(['reasoning_content', 'reasoning'] as const)('thinking in %s', async (reasoningField) => {
    const parts = await ask(reply.text('yes', { reasoning: 'let me see', reasoningField }));
    expect(parts.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'let me see' },
      { type: 'text', text: 'yes' },
    ]);
  });

  test('thinking written as text', async () => {
    expect((await ask(reply.text('<think>hm</think>yes', { pieces: 3 }))).slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'yes' },
    ]);
  });

  test('a refusal is shown and ends as one', async () => {
    const parts = await ask(reply.events([chunk({ refusal: 'I will not.' }), finish('stop'), '[DONE]']));
    expect(parts).toEqual([
      { type: 'text', text: 'I will not.' },
      { type: 'finish', reason: 'content_filter' },
    ]);
  });

  test('is the same wherever the network cuts it', async () => {
    const said = {
      usage: { prompt_tokens: 4 },
      reasoning: '想一想',
      text: 'Sure <b>🙂</b> <tool',
      newline: '\r\n',
      comments: true,
    } as const;
    const calls = [{ id: 'x', name: 'f', arguments: { city: '東京' } }];
    const whole = await ask(reply.toolCalls(calls, { ...said, split: 'whole' }), { tools });
    expect(whole.map((part) => part.type)).toContain('tool_call');
    for (const split of ['byte', 2, 5, { seed: 1 }, { seed: 2 }] as const) {
      expect(await ask(reply.toolCalls(calls, { ...said, split }), { tools })).toEqual(whole);
    }
  });

  test('one network read makes one batch', async () => {
    await using server = await startModelServer([
      reply.text('a longer answer in many pieces', { pieces: 1, split: 'whole' }),
    ]);
    const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock: systemClock });
    const batches: (readonly StreamPart[])[] = [];
    for await (const batch of runtime.chat(request('hi'))) batches.push(batch);
    expect(batches.length).toBeLessThan(4);
    expect(textIn(joined(batches.flat()))).toBe('a longer answer in many pieces');
  });
});

describe('native calls', () => {
  const calls = [
    { id: 'one', name: 'f', arguments: { x: 'a {"b"} c', y: 1 } },
    { id: 'two', name: 'g', arguments: {} },
    { id: 'three', name: 'f', arguments: { x: 2 } },
  ];
  const made = (parts: readonly StreamPart[]) =>
    parts.flatMap((part) =>
      part.type === 'tool_call' ? [{ index: part.index, id: part.id, name: part.name, arguments: part.arguments }] : [],
    );
  const expected = calls.map((each, index) => ({ index, ...each }));

  test.each([
    ['in pieces', {}],
    ['one letter at a time', { pieces: 1 }],
    ['id and name on every delta', { repeatIds: true, pieces: 3 }],
    ['without index', { withoutIndex: true }],
    ['without index, whole', { withoutIndex: true, whole: true }],
    ['without index, id and name on every delta', { withoutIndex: true, repeatIds: true, pieces: 3 }],
    ['whole', { whole: true }],
    ['taking turns', { interleaved: true, pieces: 2 }],
  ])('%s', async (_, options) => {
    const parts = await ask(reply.toolCalls(calls, options), { tools });
    expect(made(parts)).toEqual(expected);
    expect(parts.filter((part) => part.type === 'tool_call_start').map((part) => part.index)).toEqual([0, 1, 2]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    for (const call of parts.filter((part) => part.type === 'tool_call')) {
      const deltas = parts.filter((part) => part.type === 'tool_call_delta' && part.index === call.index);
      expect(deltas.map((part) => (part.type === 'tool_call_delta' ? part.argumentsText : '')).join('')).toBe(
        call.argumentsText,
      );
    }
  });

  test.each([
    ['with index', {}],
    ['without index, whole', { withoutIndex: true, whole: true }],
  ])('one id given to two calls, %s', async (_, options) => {
    const same = calls.map((each) => ({ ...each, id: 'call_1' }));
    expect(made(await ask(reply.toolCalls(same, options), { tools }))).toEqual(
      expected.map((each) => ({ ...each, id: 'call_1' })),
    );
  });

  const delta = (item: JsonObject) => chunk({ tool_calls: [item] });
  const whole = [{ index: 0, id: 'i', name: 'get_weather', arguments: { x: 1 } }];
  test.each<[string, JsonObject[], unknown[]]>([
    [
      'the name in pieces',
      [
        delta({ index: 0, id: 'i', function: { name: 'get_' } }),
        delta({ index: 0, function: { name: 'weather' } }),
        delta({ index: 0, function: { arguments: '{"x":1}' } }),
      ],
      whole,
    ],
    [
      'arguments before the name',
      [
        delta({ index: 0, id: 'i', function: { arguments: '{"x"' } }),
        delta({ index: 0, function: { name: 'get_weather', arguments: ':1}' } }),
      ],
      whole,
    ],
    [
      'arguments as an object',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: { x: 1 } } })],
      whole,
    ],
    [
      'arguments encoded twice',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: JSON.stringify('{"x":1}') } })],
      whole,
    ],
    [
      'another id on every delta',
      [
        delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x"' } }),
        delta({ index: 0, id: 'j', function: { arguments: ':1}' } }),
      ],
      whole,
    ],
    [
      'every call numbered 0',
      [
        delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x":1}' } }),
        delta({ index: 0, id: 'j', function: { name: 'get_weather', arguments: '{"x":1}' } }),
      ],
      [...whole, { ...whole[0], index: 1, id: 'j' }],
    ],
    [
      'several without index in one delta',
      [
        chunk({
          tool_calls: [
            { id: 'i', function: { name: 'get_weather', arguments: '{"x":1}' } },
            { id: 'j', function: { name: 'b' } },
          ],
        }),
      ],
      [...whole, { index: 1, id: 'j', name: 'b', arguments: {} }],
    ],
    [
      'an empty delta beside it',
      [delta({}), delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x":1}' } })],
      whole,
    ],
    [
      'the legacy function_call',
      [
        chunk({ function_call: { name: 'get_weather', arguments: '{"x"' } }),
        chunk({ function_call: { arguments: ':1}' } }),
      ],
      [{ ...whole[0], id: undefined }],
    ],
    [
      'broken arguments',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '{"x":' } })],
      [{ ...whole[0], arguments: null }],
    ],
    [
      'arguments that are a list',
      [delta({ index: 0, id: 'i', function: { name: 'get_weather', arguments: '[1]' } })],
      [{ ...whole[0], arguments: null }],
    ],
  ])('%s', async (_, chunks, expectedCalls) => {
    const parts = await ask(reply.raw([...chunks, finish('stop')].map((each) => `data: ${JSON.stringify(each)}\n\n`)), {
      tools,
    });
    expect(made(parts)).toEqual(expectedCalls);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
  });

  test('arguments that the token limit cut off before they began are not taken for none', async () => {
    const parts = await ask(reply.toolCalls([{ id: 'i', name: 'f', arguments: '' }], { finish: 'length' }), { tools });
    expect(made(parts)).toEqual([{ index: 0, id: 'i', name: 'f', arguments: null }]);
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length' });
  });

  test('a call without a name never runs', async () => {
    const parts = await ask(
      reply.events([
        delta({ index: 0, id: 'i', function: { arguments: '{"x":1}' } }),
        finish('tool_calls'),
        '[DONE]',
      ] as never),
      { tools },
    );
    expect(parts).toContainEqual({
      type: 'malformed_tool_call',
      raw: '{"x":1}',
      reason: expect.stringContaining('name'),
    });
    expect(made(parts)).toEqual([]);
  });
});

describe('calls written as text', () => {
  const written =
    'Let me see.\n<tool_call>{"name":"f","arguments":{"x":1}}</tool_call><tool_call>{"name":"g"}</tool_call>';

  test.each(['native', 'text'] as const)('are calls in tool mode %s', async (toolMode) => {
    expect(await ask(reply.text(written, { pieces: 3 }), { tools, toolMode })).toEqual([
      { type: 'text', text: 'Let me see.' },
      { type: 'tool_call_start', index: 0, name: 'f' },
      { type: 'tool_call', index: 0, name: 'f', arguments: { x: 1 }, argumentsText: '{"x":1}' },
      { type: 'tool_call_start', index: 1, name: 'g' },
      { type: 'tool_call', index: 1, name: 'g', arguments: {}, argumentsText: '{}' },
      { type: 'finish', reason: 'tool_calls' },
    ]);
  });

  test('carry ids where the owner gives them', async () => {
    const parts = await ask(reply.text(written), { tools }, { newId: () => 'fresh' });
    expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_call', index: 1, id: 'fresh' }));
  });

  test('are text where no tools are on offer', async () => {
    expect(textIn(await ask(reply.text(written)))).toBe(written);
  });

  test('do not count a second time beside native calls', async () => {
    const parts = await ask(reply.toolCalls([{ name: 'f', arguments: { x: 1 } }], { text: written }), { tools });
    expect(parts.filter((part) => part.type === 'tool_call')).toHaveLength(1);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'notice', code: 'text_calls_dropped' }));
    expect(textIn(parts)).toBe('Let me see.');
  });

  test('a malformed one is reported, and the sound one beside it made', async () => {
    const parts = await ask(reply.text('<tool_call>{bad}</tool_call><tool_call>{"name":"g"}</tool_call>'), { tools });
    expect(parts.map((part) => part.type)).toEqual(['malformed_tool_call', 'tool_call_start', 'tool_call', 'finish']);
  });

  test('the prompt may have opened the thinking', async () => {
    const parts = await ask(reply.text('so</think>yes'), { tools }, { quirks: { startsInReasoning: true } });
    expect(parts.slice(0, 2)).toEqual([
      { type: 'reasoning', text: 'so' },
      { type: 'text', text: 'yes' },
    ]);
  });
});

describe('an answer that goes wrong keeps what came before', () => {
  test.each<[string, ModelReply, string]>([
    [
      'error object in mid-stream',
      reply.text('half of <it', { errorInStream: { error: { message: 'CUDA out of memory', code: 500 } } }),
      'bad_response',
    ],
    [
      'named error event',
      reply.text('half of <it', {
        errorInStream: { error: { message: 'slow down', type: 'rate_limit_error' }, named: true },
      }),
      'rate_limited',
    ],
    [
      'error event in plain words',
      reply.raw([`data: ${JSON.stringify(chunk({ content: 'half of <it' }))}\n\nevent: error\ndata: gone\n\n`]),
      'bad_response',
    ],
    [
      'error inside the choice',
      reply.raw([
        `data: ${JSON.stringify(chunk({ content: 'half of <it' }))}\n\ndata: {"choices":[{"index":0,"delta":{"content":""},"error":{"code":502,"message":"upstream"},"finish_reason":"error"}]}\n\n`,
      ]),
      'overloaded',
    ],
    ['cut connection', reply.text('half of <it', { finish: null, done: false, thenCut: true }), 'stream_broken'],
    ['end without finish', reply.text('half of <it', { finish: null, done: false }), 'stream_broken'],
    [
      'end in the middle of an event',
      reply.raw([`data: ${JSON.stringify(chunk({ content: 'half of <it' }))}\n\ndata: {"choices":[{"del`]),
      'stream_broken',
    ],
    [
      'an event that is no JSON',
      reply.raw([`data: ${JSON.stringify(chunk({ content: 'half of <it' }))}\n\ndata: {oops\n\n`]),
      'bad_response',
    ],
    ['finish reason error', reply.text('half of <it', { finish: 'error' }), 'stream_broken'],
  ])('%s', async (_, scripted, code) => {
    const parts = await ask(scripted, { tools });
    expect(textIn(parts)).toBe('half of <it');
    expect(errorIn(parts).code).toBe(code);
  });

  test('a call that was under way is never whole', async () => {
    for (const scripted of [
      reply.toolCalls([{ name: 'f', arguments: { x: 1 } }], { finish: null, done: false }),
      reply.text('<tool_call>{"name":"f","arguments":{"x":1}}</tool_call>', { finish: null, done: false }),
    ]) {
      const parts = await ask(scripted, { tools });
      expect(parts.map((part) => part.type)).toEqual(['tool_call_start', 'tool_call_delta', 'error']);
    }
  });

  test.each<[string, ModelReply]>([
    ['an empty body', reply.raw([])],
    ['only [DONE]', reply.events(['[DONE]'])],
    ['only comments', reply.raw([': ping\n\n: ping\n\n'])],
    ['no choices', reply.json({ choices: [], usage: { prompt_tokens: 1 } })],
    ['JSON of something else', reply.json({ status: 'ok' })],
    ['usage and nothing else', reply.events([{ choices: [], usage: { prompt_tokens: 1 } }, '[DONE]'])],
  ])('no response at all: %s', async (_, scripted) => {
    expect(errorIn(await ask(scripted)).code).toBe('no_response');
  });

  test('a finish that is never followed by anything still finishes', async () => {
    const parts = await ask(reply.text('done', { done: false, thenCut: true }));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  test('half a JSON answer is no answer', async () => {
    expect(errorIn(await ask(reply.raw(['{"choices":[{"message":{"content":"he'])))).toMatchObject({
      code: 'bad_response',
    });
  });
});

describe('silence', () => {
  test('before and within an answer ends it, and leaves no timer behind', async () => {
    for (const scripted of [
      reply.raw([], { thenSilence: true }),
      reply.text('half', { finish: null, done: false, thenSilence: true }),
    ]) {
      await using server = await startModelServer([scripted]);
      const clock = createFakeClock();
      const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock, idleTimeoutMs: 60_000 });
      const parts: StreamPart[] = [];
      let over = false;
      const reading = (async () => {
        for await (const batch of runtime.chat(request('hi'))) parts.push(...batch);
        over = true;
      })();
      await eventually(() => expect(server.requests).toHaveLength(1));
      while (!over) {
        await clock.advance(30_000);
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      await reading;
      expect(errorIn(parts)).toMatchObject({ code: 'timed_out', retryable: true });
      expect(errorIn(parts).message).toContain('60 s');
      expect(clock.pending).toBe(0);
      await eventually(() => expect(server.requests[0]?.clientLeft).toBe(true));
    }
  });

  test('behind the last word does not cost the answer', async () => {
    await using server = await startModelServer([reply.text('all of it', { done: false, thenSilence: true })]);
    const clock = createFakeClock();
    const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock });
    const parts: StreamPart[] = [];
    for await (const batch of runtime.chat(request('hi'))) {
      parts.push(...batch);
      if (textIn(parts) === 'all of it') setTimeout(() => void clock.advance(20_000), 50);
    }
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    expect(clock.pending).toBe(0);
  });
});

describe('cancelling', () => {
  test.each<[string, ModelReply]>([
    ['before the first byte', reply.raw([], { thenSilence: true })],
    ['in mid-stream', reply.text('half', { finish: null, done: false, thenSilence: true })],
  ])('%s throws AbortError and hangs up', async (_, scripted) => {
    await using server = await startModelServer([scripted]);
    const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock: systemClock });
    const controller = new AbortController();
    const reading = collect(runtime, request('hi'), controller.signal);
    await eventually(() => expect(server.requests).toHaveLength(1));
    setTimeout(() => controller.abort(new Error('a reason of the caller')), 20);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
    await eventually(() => expect(server.requests[0]?.clientLeft).toBe(true));
  });

  test('before the start sends nothing', async () => {
    await using server = await startModelServer([reply.text('x')]);
    const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock: systemClock });
    await expect(collect(runtime, request('hi'), AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
    await expect(runtime.models({ signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' });
    expect(server.requests).toHaveLength(0);
  });

  test('a reader who walks away hangs up too', async () => {
    await using server = await startModelServer([reply.text('half', { finish: null, done: false, thenSilence: true })]);
    const clock = createFakeClock();
    const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock });
    for await (const _ of runtime.chat(request('hi'))) break;
    await eventually(() => expect(server.requests[0]?.clientLeft).toBe(true));
    expect(clock.pending).toBe(0);
  });

  test('works where fetch takes no notice of its signal', async () => {
    const deaf = () => new Promise<Response>(() => undefined);
    const runtime = createOpenAiChatRuntime({ baseUrl: 'http://127.0.0.1:1', fetch: deaf, clock: systemClock });
    const controller = new AbortController();
    const reading = collect(runtime, request('hi'), controller.signal);
    setTimeout(() => controller.abort(), 10);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

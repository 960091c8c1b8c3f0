import type { JsonObject } from '@toolyard/protocol';
import { createFakeClock, eventually, reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import {
  assistant,
  call,
  collect,
  errorIn,
  request,
  result,
  system,
  textIn,
  tool,
  user,
} from '../test-fixtures/requests.ts';
import { directRuntime, runtimeContract } from '../test-fixtures/runtime-contract.ts';
import { runtimeOver, WIRE_SCRIPTS, type WireScript } from '../test-fixtures/wires.ts';
import type { ModelRuntimeOptions } from '../create-runtime.ts';
import type { ChatRequest, StreamPart } from '../types.ts';

const KEY = 'canary-key-0123456789';
const tools = [tool('f'), tool('g')];

async function ask(
  { wire }: WireScript,
  script: ModelReply | readonly ModelReply[],
  more: Partial<ChatRequest> = {},
  options: Partial<ModelRuntimeOptions> = {},
) {
  await using server = await startModelServer(Array.isArray(script) ? script : [script as ModelReply]);
  return await collect(runtimeOver(wire, server.url, options), request('hi', more));
}

describe.each(WIRE_SCRIPTS)('$wire', (script) => {
  runtimeContract(script, directRuntime);

  test('measures timing with the injected clock', async () => {
    await using server = await startModelServer([script.text('Hello there')]);
    let now = 0;
    const clock = { ...createFakeClock(), now: () => 0, monotonic: () => (now += 10) };
    const parts: StreamPart[] = [];
    for await (const batch of runtimeOver(script.wire, server.url, { clock }).chat(request('hi'))) parts.push(...batch);
    const timing = parts.at(-2);
    if (timing?.type !== 'timing') throw new Error('no timing');
    expect(timing.firstMs).toBeGreaterThan(0);
    expect(timing.totalMs).toBeGreaterThan(timing.firstMs);
  });

  test('sends tool definitions natively or in the prompt, with a tool choice', async () => {
    await using server = await startModelServer(() => script.text('ok'));
    const runtime = runtimeOver(script.wire, server.url);
    const choices = ['auto', 'none', 'required', { name: 'g' }] as const;
    for (const toolChoice of choices) await collect(runtime, request('hi', { tools, toolChoice }));
    await collect(runtime, request('hi', { tools, toolMode: 'text' }));
    const texts = server.requests.map(({ text }) => text);
    expect(texts.slice(0, 4).every((text) => text.includes('"tools":['))).toBe(true);
    expect(new Set(texts.slice(0, 4)).size).toBe(4);
    expect(texts[4]).not.toContain('"tools":[');
    expect(texts[4]).toContain('<tool_call>');
  });

  test('times out without data', async () => {
    await using server = await startModelServer([script.half('half', { thenSilence: true })]);
    const clock = createFakeClock();
    const reading = collect(runtimeOver(script.wire, server.url, { clock, idleTimeoutMs: 60_000 }), request('hi'));
    let over = false;
    void reading.finally(() => (over = true));
    await eventually(() => expect(server.requests).toHaveLength(1));
    while (!over) {
      await clock.advance(30_000);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    expect(errorIn(await reading)).toMatchObject({ code: 'timed_out' });
    expect(clock.pending).toBe(0);
  });

  describe('base URL', () => {
    test.each(['', '/', '/VERSION', '/VERSION/', '/VERSION/models'])('%s', async (suffix) => {
      await using server = await startModelServer([script.text('one'), script.text('two')], {
        serveAt: script.version,
      });
      const runtime = runtimeOver(script.wire, server.origin + suffix.replace('VERSION', script.version));
      expect(textIn(await collect(runtime, request('hi')))).toBe('one');
      expect(server.requests.at(-1)?.path).toMatch(script.path);
      const requestCount = server.requests.length;
      expect(textIn(await collect(runtime, request('hi')))).toBe('two');
      expect(server.requests).toHaveLength(requestCount + 1);
    });

    test('of something else: the error names the URLs tried and the API format', async () => {
      await using server = await startModelServer([], { serveAt: 'root', otherwise: reply.html() });
      const error = errorIn(await collect(runtimeOver(script.wire, `${server.origin}/app`), request('hi')));
      expect(error.code).toBe('not_a_model_server');
      expect(error.message).toContain(`${server.origin}/app/`);
      expect(error.message).toContain(`${server.origin}/app/${script.version}/`);
      expect(error.message).toContain(' API was found');
      expect(error.hint).toContain('http');
    });
  });

  describe('API key', () => {
    test("is sent in the provider's header", async () => {
      await using server = await startModelServer([script.text('ok')], { requireKey: KEY });
      expect(textIn(await collect(runtimeOver(script.wire, server.url, { apiKey: KEY }), request('hi')))).toBe('ok');
    });

    test('may have surrounding white space, but no character that a header cannot contain', async () => {
      await using server = await startModelServer([script.text('ok')], { requireKey: KEY });
      expect(textIn(await collect(runtimeOver(script.wire, server.url, { apiKey: ` ${KEY}\n` }), request('hi')))).toBe(
        'ok',
      );
      const error = errorIn(
        await collect(runtimeOver(script.wire, server.url, { apiKey: `${KEY}\n${KEY}` }), request('hi')),
      );
      expect(error).toMatchObject({ code: 'bad_config', message: expect.stringContaining('key') });
      expect(JSON.stringify(error)).not.toContain(KEY);
    });

    test('in the base URL is redacted', async () => {
      await using server = await startModelServer(() => reply.error(400, `bad key ${KEY}`));
      const error = errorIn(await collect(runtimeOver(script.wire, `${server.url}?key=${KEY}`), request('hi')));
      expect(server.requests[0]?.path).toContain(KEY);
      expect(JSON.stringify(error)).not.toContain(KEY);
    });

    test('missing: the error says so', async () => {
      await using server = await startModelServer([], { requireKey: KEY });
      const error = errorIn(await collect(runtimeOver(script.wire, server.url), request('hi')));
      expect(error).toMatchObject({ code: 'invalid_key', message: expect.stringContaining('none is set') });
    });

    test('never appears in the output, whatever the server echoes', async () => {
      const headers = { 'x-second': 'canary-second-987654321' };
      const message = `key ${KEY} and ${headers['x-second']} are wrong`;
      const bodies = Object.values(script.errors).map(
        ([, body]) =>
          JSON.parse(JSON.stringify(body).replaceAll(/"message":"[^"]*"/g, `"message":"${message}"`)) as JsonObject,
      );
      const seen: string[] = [];
      for (const status of [400, 401, 404, 429, 500, 503]) {
        for (const body of bodies) {
          const more = { apiKey: KEY, headers };
          seen.push(
            JSON.stringify(await ask(script, reply.error(status, body), { parameters: { temperature: 1 } }, more)),
          );
        }
      }
      seen.push(JSON.stringify(await ask(script, reply.raw([message], { status: 500 }), {}, { apiKey: KEY, headers })));
      await using server = await startModelServer([], { models: reply.error(401, message) });
      await runtimeOver(script.wire, server.url, { apiKey: KEY, headers })
        .models()
        .catch((thrown: unknown) => seen.push(`${String(thrown)} ${JSON.stringify(thrown)}`));
      for (const text of seen) expect(text).not.toMatch(/canary/);
      expect(seen.length).toBeGreaterThan(40);
    });
  });

  describe('retries', () => {
    const busy = (kind: 'rate' | 'overloaded', headers: Record<string, string> = {}) => {
      const [status, body] = script.errors[kind];
      return reply.error(status, body, headers);
    };

    /** Sends a request with a manually advanced clock; returns the parts and the total wait. */
    async function askWithRetries(replies: readonly ModelReply[], more: Partial<ModelRuntimeOptions> = {}) {
      await using server = await startModelServer(replies);
      const clock = createFakeClock();
      const begin = clock.monotonic();
      let over = false;
      const reading = collect(
        runtimeOver(script.wire, server.url, { clock, maxRetries: 2, random: () => 0, ...more }),
        request('hi'),
      ).finally(() => (over = true));
      while (!over) {
        await clock.advance(100);
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return { parts: await reading, requestCount: server.requests.length, clock, waited: clock.monotonic() - begin };
    }

    test('retries a busy server, with the same result as without the failure', async () => {
      const { parts, requestCount, clock } = await askWithRetries([
        busy('overloaded'),
        script.failingAtOnce,
        script.text('now'),
      ]);
      expect(textIn(parts)).toBe('now');
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
      expect(parts.some((part) => part.type === 'error')).toBe(false);
      expect(requestCount).toBe(3);
      expect(clock.pending).toBe(0);
    });

    test('stops after three attempts', async () => {
      const { parts, requestCount } = await askWithRetries([
        busy('overloaded'),
        busy('overloaded'),
        busy('overloaded'),
        script.text('late'),
      ]);
      expect(errorIn(parts).code).toBe('overloaded');
      expect(requestCount).toBe(3);
    });

    test('honours Retry-After and reports it', async () => {
      const { parts, waited } = await askWithRetries([busy('rate', { 'retry-after': '9' }), script.text('now')]);
      expect(textIn(parts)).toBe('now');
      expect(parts[0]).toMatchObject({ type: 'notice', code: 'retrying', text: expect.stringContaining('9 s') });
      expect(waited).toBeGreaterThanOrEqual(9000);
    });

    test('fails if Retry-After is too long', async () => {
      const { parts, requestCount } = await askWithRetries([
        busy('rate', { 'retry-after': '3600' }),
        script.text('now'),
      ]);
      expect(errorIn(parts)).toMatchObject({ code: 'rate_limited', retryAfterMs: 3_600_000 });
      expect(requestCount).toBe(1);
    });

    test('does not retry after the first part, nor permanent errors', async () => {
      expect((await askWithRetries([script.failing('half'), script.text('no')])).requestCount).toBe(1);
      const [status, body] = script.errors.request;
      expect((await askWithRetries([reply.error(status, body), script.text('no')])).requestCount).toBe(1);
    });

    test('cancelling ends the wait', async () => {
      await using server = await startModelServer([busy('rate', { 'retry-after': '20' })]);
      const controller = new AbortController();
      const clock = createFakeClock();
      const runtime = runtimeOver(script.wire, server.url, { maxRetries: 2, clock });
      const reading = (async () => {
        for await (const batch of runtime.chat(request('hi'), { signal: controller.signal })) {
          expect(batch).toMatchObject([{ type: 'notice', code: 'retrying' }]);
          // The notice was emitted; the wait starts in the next turn of the event loop.
          setImmediate(() => controller.abort());
        }
      })();
      await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
      expect(server.requests).toHaveLength(1);
      expect(clock.pending).toBe(0);
    });
  });

  describe('settings', () => {
    const parameters = {
      temperature: 0,
      topP: 0.5,
      topK: 7,
      maxOutputTokens: 99,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      stop: ['END'],
      seed: 3,
    };

    test('each is sent, or left out with a single notice', async () => {
      await using server = await startModelServer(() => script.text('ok'));
      const runtime = runtimeOver(script.wire, server.url);
      const parts = await collect(runtime, request('hi', { parameters }));
      const body = server.requests[0]?.text ?? '';
      const fields = [
        /"temperature":0\b/,
        /"top_?[pP]":0.5/,
        /"top_?[kK]":7/,
        /"max\w+":99/,
        /"presence_?[pP]enalty":0.1/,
        /"frequency_?[pP]enalty":0.2/,
        /"stop\w*":\["END"\]/,
        /"seed":3/,
      ];
      const missing = fields.filter((field) => !field.test(body)).length;
      const notes = parts.filter((part) => part.type === 'notice' && part.code === 'setting_left_out');
      expect(notes).toHaveLength(missing);
      expect(missing).toBe(
        { 'openai-chat': 0, 'openai-responses': 5, 'anthropic-messages': 3, 'google-gemini': 0 }[script.wire],
      );
      expect((await collect(runtime, request('hi', { parameters }))).some((part) => part.type === 'notice')).toBe(
        false,
      );
    });

    test('a rejected one is left out from then on, with a notice', async () => {
      const refusal = reply.error(400, { error: { message: 'temperature is not supported by this model', code: 400 } });
      await using server = await startModelServer([refusal, script.text('one'), script.text('two')]);
      const runtime = runtimeOver(script.wire, server.url);
      const chatRequest = request('hi', { parameters: { temperature: 0.3, topP: 0.5 } });
      const parts = await collect(runtime, chatRequest);
      expect(parts[0]).toMatchObject({
        type: 'notice',
        code: 'setting_left_out',
        text: expect.stringContaining('temperature'),
      });
      expect(textIn(parts)).toBe('one');
      expect((await collect(runtime, chatRequest)).some((part) => part.type === 'notice')).toBe(false);
      expect(server.requests.map(({ text }) => text.includes('temperature'))).toEqual([true, false, false]);
      expect(server.requests[2]?.text).toMatch(/0\.5/);
    });

    test('extra fields are sent, but never replace the conversation', async () => {
      await using server = await startModelServer([script.text('ok')]);
      const extra = { something_new: { a: 1 }, model: 'other', tools: [], stream: false };
      const parts = await collect(runtimeOver(script.wire, server.url), request('hi', { parameters: { extra } }));
      expect(server.requests[0]?.body).toMatchObject({ something_new: { a: 1 } });
      expect(server.requests[0]?.text).not.toContain('"tools"');
      if (script.wire !== 'google-gemini')
        expect(server.requests[0]?.body).toMatchObject({ model: 'scripted', stream: true });
      expect(parts.filter((part) => part.type === 'notice')).toHaveLength(1);
    });
  });

  if (script.wire === 'anthropic-messages' || script.wire === 'openai-responses') {
    test('the type of an event may be beside its data only', async () => {
      const events: [string, JsonObject][] =
        script.wire === 'anthropic-messages'
          ? [
              ['message_start', { message: {} }],
              ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'hello' } }],
              ['message_delta', { delta: { stop_reason: 'end_turn' } }],
              ['message_stop', {}],
            ]
          : [
              ['response.output_text.delta', { output_index: 0, delta: 'hello' }],
              ['response.completed', { response: { status: 'completed', output: [] } }],
            ];
      const body = events.map(([name, data]) => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`).join('');
      await using server = await startModelServer([reply.raw([body])]);
      const parts = await collect(runtimeOver(script.wire, server.url), request('hi'));
      expect(textIn(parts)).toBe('hello');
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
    });
  }

  test('lone surrogates and NUL are never sent', async () => {
    const bad = 'a\ud800b\u0000c';
    const messages = [
      system(bad),
      user(bad),
      assistant(bad, call('c1', 'f', { [bad]: [bad] })),
      result('c1', 'f', bad),
      user(bad),
    ];
    await using server = await startModelServer(() => script.text('ok'));
    for (const toolMode of ['native', 'text'] as const) {
      await collect(runtimeOver(script.wire, server.url), request(messages, { tools, toolMode }));
    }
    for (const { text } of server.requests) expect(text).not.toMatch(/\\ud800|\\u0000/);
  });

  test('lists models over all pages', async () => {
    const page = (more: JsonObject) =>
      reply.json(
        script.wire === 'google-gemini'
          ? { models: [{ name: 'models/a', inputTokenLimit: 9 }], ...more }
          : { data: [{ id: 'a', context_window: 9 }], ...more },
      );
    await using server = await startModelServer([], { models: page({}) });
    expect(await runtimeOver(script.wire, server.url).models()).toEqual([{ id: 'a', contextWindow: 9 }]);
  });
});

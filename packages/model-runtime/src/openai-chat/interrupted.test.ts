import { systemClock } from '@toolyard/protocol';
import { createFakeClock, eventually, reply, startModelServer, type ModelReply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { ask, chunk, tools } from '../test-fixtures/openai-chat.ts';
import { collect, errorIn, request, textIn } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';
import { createOpenAiChatRuntime } from '../create-runtime.ts';

describe('an interrupted answer keeps the parts before it', () => {
  test.each<[string, ModelReply, string]>([
    [
      'error object during streaming',
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
      'error event with plain text',
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
    ['closed connection', reply.text('half of <it', { finish: null, done: false, thenCut: true }), 'stream_broken'],
    ['end without finish reason', reply.text('half of <it', { finish: null, done: false }), 'stream_broken'],
    [
      'end in the middle of an event',
      reply.raw([`data: ${JSON.stringify(chunk({ content: 'half of <it' }))}\n\ndata: {"choices":[{"del`]),
      'stream_broken',
    ],
    [
      'an event with invalid JSON',
      reply.raw([`data: ${JSON.stringify(chunk({ content: 'half of <it' }))}\n\ndata: {oops\n\n`]),
      'bad_response',
    ],
    ['finish reason error', reply.text('half of <it', { finish: 'error' }), 'stream_broken'],
  ])('%s', async (_, scripted, code) => {
    const parts = await ask(scripted, { tools });
    expect(textIn(parts)).toBe('half of <it');
    expect(errorIn(parts).code).toBe(code);
  });

  test('and never completes a call in progress', async () => {
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
    ['other JSON', reply.json({ status: 'ok' })],
    ['usage and nothing else', reply.events([{ choices: [], usage: { prompt_tokens: 1 } }, '[DONE]'])],
  ])('no response at all: %s', async (_, scripted) => {
    expect(errorIn(await ask(scripted)).code).toBe('no_response');
  });

  test('completes after a finish reason, even if nothing follows it', async () => {
    const parts = await ask(reply.text('done', { done: false, thenCut: true }));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  test('rejects a truncated JSON answer', async () => {
    expect(errorIn(await ask(reply.raw(['{"choices":[{"message":{"content":"he'])))).toMatchObject({
      code: 'bad_response',
    });
  });
});

describe('idle timeout', () => {
  test('before and within an answer ends it and leaves no timer', async () => {
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

  test('after the finish reason does not fail the answer', async () => {
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
    ['during streaming', reply.text('half', { finish: null, done: false, thenSilence: true })],
  ])('%s throws AbortError and closes the connection', async (_, scripted) => {
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

  test('by leaving the loop closes the connection', async () => {
    await using server = await startModelServer([reply.text('half', { finish: null, done: false, thenSilence: true })]);
    const clock = createFakeClock();
    const runtime = createOpenAiChatRuntime({ baseUrl: server.url, fetch, clock });
    for await (const _ of runtime.chat(request('hi'))) break;
    await eventually(() => expect(server.requests[0]?.clientLeft).toBe(true));
    expect(clock.pending).toBe(0);
  });

  test('works with a fetch that ignores its signal', async () => {
    const neverSettles = () => new Promise<Response>(() => undefined);
    const runtime = createOpenAiChatRuntime({ baseUrl: 'http://127.0.0.1:1', fetch: neverSettles, clock: systemClock });
    const controller = new AbortController();
    const reading = collect(runtime, request('hi'), controller.signal);
    setTimeout(() => controller.abort(), 10);
    await expect(reading).rejects.toMatchObject({ name: 'AbortError' });
  });
});

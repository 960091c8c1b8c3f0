import { createFakeClock, eventually, reply, startModelServer } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { createOpenAiChatRuntime } from '../create-runtime.ts';
import { errorIn, request, textIn } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';
import { MAX_LOADING_MS } from './loading.ts';

const LOADING = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };

/** A chat with a server that is loading; `tick` lets time pass until the chat has ended. */
async function chat(url: string, signal?: AbortSignal) {
  const clock = createFakeClock();
  // Time passes in the test whatever a request is doing.
  const runtime = createOpenAiChatRuntime({ baseUrl: url, fetch, clock, idleTimeoutMs: 1_000 * MAX_LOADING_MS });
  const parts: StreamPart[] = [];
  const state = { isOver: false };
  const read = async (): Promise<void> => {
    for await (const batch of runtime.chat(request('hi'), signal ? { signal } : {})) parts.push(...batch);
  };
  const ended = read().finally(() => (state.isOver = true));
  ended.catch(() => undefined);
  const isWaiting = () => parts.some((part) => part.type === 'notice' && part.code === 'model_loading');
  return { clock, parts, state, ended, isWaiting };
}

test('a chat waits while the server loads its model, with one notice, longer than for any retry', async () => {
  await using server = await startModelServer((_request, index) =>
    index < 6 ? reply.error(503, LOADING) : reply.text('Hello.'),
  );
  const { clock, parts, state, ended, isWaiting } = await chat(server.url);
  await eventually(isWaiting);
  await eventually(async () => {
    await clock.advance(1_000);
    return state.isOver;
  });
  await ended;
  expect(textIn(parts)).toBe('Hello.');
  expect(parts.filter(({ type }) => type === 'notice')).toHaveLength(1);
});

test('the wait ends on cancel, and after some minutes with the error of the server', async () => {
  await using server = await startModelServer(() => reply.error(503, LOADING));
  const user = new AbortController();
  const cancelled = await chat(server.url, user.signal);
  await eventually(cancelled.isWaiting);
  user.abort();
  await expect(cancelled.ended).rejects.toMatchObject({ name: 'AbortError' });
  const { clock, parts, state, ended, isWaiting } = await chat(server.url);
  await eventually(isWaiting);
  await eventually(async () => {
    await clock.advance(MAX_LOADING_MS);
    return state.isOver;
  });
  await ended;
  expect(errorIn(parts)).toMatchObject({ code: 'overloaded' });
});

import type { JsonObject } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { createModelRuntime } from '../create-runtime.ts';
import { chunk, finish } from '../test-fixtures/openai-chat.ts';
import { joined, request } from '../test-fixtures/requests.ts';
import type { StreamPart } from '../types.ts';

const IDLE_MS = 60_000;

/** An answer that comes as `events`, with a pause before each but the first; then silence, an end, or a lost connection. */
async function read(
  events: readonly JsonObject[],
  pauseMs: number,
  end: 'silence' | 'end' | 'lost',
): Promise<StreamPart[]> {
  const clock = createFakeClock();
  const { readable: body, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const send = writable.getWriter();
  const runtime = createModelRuntime({
    wire: 'openai-chat',
    baseUrl: 'http://h/v1',
    fetch: () => Promise.resolve(new Response(body, { headers: { 'content-type': 'text/event-stream' } })),
    clock,
    maxRetries: 0,
    idleTimeoutMs: IDLE_MS,
  });
  const write = (event: JsonObject): void =>
    void send.write(new TextEncoder().encode(`data: ${JSON.stringify(event)}\n\n`)).catch(() => undefined);
  const parts: StreamPart[] = [];
  let isOver = false;
  const reading = (async () => {
    for await (const batch of runtime.chat(request('hi'))) parts.push(...batch);
    isOver = true;
  })();
  // The clock is advanced only while the reader waits.
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  for (const [at, event] of events.entries()) {
    await settle();
    if (at > 0) await clock.advance(pauseMs);
    if (isOver) break;
    write(event);
  }
  await settle();
  if (!isOver && end === 'end') void send.close();
  if (!isOver && end === 'lost') void send.abort(new Error('connection reset'));
  while (!isOver) {
    await clock.advance(1000);
    await settle();
  }
  await reading;
  return joined(parts.filter(({ type }) => type !== 'timing'));
}

const early = (delta: JsonObject) => chunk(delta, { finish_reason: 'stop' });
const usage = { ...chunk({}), choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } };

test.each([
  ['beside reasoning', [early({ reasoning_content: 'Hm.' }), chunk({ content: 'One two.' }), finish('stop')]],
  ['beside every word', [early({ content: 'One ' }), early({ content: 'two.' })]],
  [
    'alone, after reasoning',
    [chunk({ reasoning_content: 'Hm.' }), finish('stop'), chunk({ content: 'One two.' }), finish('stop')],
  ],
  ['alone, before any word', [finish('stop'), chunk({ content: 'One two.' }), finish('stop')]],
  ['alone, between words', [chunk({ content: 'One ' }), finish('stop'), chunk({ content: 'two.' }), finish('stop')]],
])('%s does not end the answer, even before a pause', async (_, events) => {
  const parts = await read(events, 15_000, 'end');
  expect(parts.filter(({ type }) => type === 'text')).toEqual([{ type: 'text', text: 'One two.' }]);
  expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
});

test('ends the answer if the server then sends nothing', async () => {
  const parts = await read([chunk({ content: 'One.' }), finish('stop'), usage], 1, 'silence');
  expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  expect(parts).toContainEqual(expect.objectContaining({ type: 'usage' }));
});

test('counts if the connection is lost after it; the answer is cut if words followed it', async () => {
  expect((await read([chunk({ content: 'One.' }), finish('stop')], 1, 'lost')).at(-1)).toEqual({
    type: 'finish',
    reason: 'stop',
  });
  const cut = await read([early({ content: 'One ' }), chunk({ content: 'two' })], 1, 'lost');
  expect(cut.at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_broken' } });
});

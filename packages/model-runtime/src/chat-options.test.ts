import { reply, startModelServer } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { createDemoRuntime } from './demo/runtime.ts';
import { collect, errorIn, request, textIn, tool } from './test-fixtures/requests.ts';
import { runtimeOver, WIRE_SCRIPTS } from './test-fixtures/wires.ts';
import type { ChatCallbacks, ChatOptions, ChatSummary, ModelRuntime, StreamPart } from './types.ts';
import { withChat } from './with-chat.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';

/** The events of {@link ChatCallbacks}, in order. */
function recorder(): { callback: ChatCallbacks; events: unknown[]; summary: () => ChatSummary | undefined } {
  const events: unknown[] = [];
  let last: ChatSummary | undefined;
  return {
    events,
    summary: () => last,
    callback: {
      onStart: () => events.push('start'),
      onFirstToken: () => events.push('first token'),
      onToolCall: ({ name }) => events.push(`call ${name}`),
      onUsage: ({ outputTokens }) => events.push(`usage ${String(outputTokens)}`),
      onFinal: (summary) => events.push(`final ${(last = summary).outcome}`),
    },
  };
}

async function ask(runtime: ModelRuntime, options: ChatOptions, more = {}): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const batch of runtime.chat(request('hi', more), options)) parts.push(...batch);
  return parts;
}

describe.each(WIRE_SCRIPTS.map((script) => [script.wire, script] as const))('options of chat, %s', (wire, script) => {
  test('headers and trace of one request reach the server, with its key', async () => {
    await using server = await startModelServer([script.text('a'), script.text('b')]);
    const runtime = runtimeOver(wire, server.url, { apiKey: 'key-of-provider', headers: { 'x-team': 'provider' } });
    await ask(runtime, { headers: { 'x-team': 'request', 'x-more': '1' }, traceId: TRACE });
    await ask(runtime, {});
    const [first, second] = server.requests.map(({ headers }) => headers);
    expect(first).toMatchObject({
      'x-team': 'request',
      'x-more': '1',
      traceparent: `00-${TRACE}-8448eb211c80319c-01`,
    });
    expect(second).toMatchObject({ 'x-team': 'provider' });
    expect(second).not.toHaveProperty('traceparent');
    expect(JSON.stringify(first)).toContain('key-of-provider');
  });

  test('the user id is sent where the API has a field for it', async () => {
    await using server = await startModelServer([script.text('a')]);
    await ask(runtimeOver(wire, server.url), {}, { user: 'u-17' });
    const expected = {
      'openai-chat': { user: 'u-17' },
      'openai-responses': { user: 'u-17' },
      'anthropic-messages': { metadata: { user_id: 'u-17' } },
      'google-gemini': {},
    }[wire];
    const body = server.requests[0]?.body;
    expect(body).toMatchObject(expected);
    expect(JSON.stringify(body).includes('u-17')).toBe(wire !== 'google-gemini');
  });

  test('callbacks report the answer in order and leave it unchanged', async () => {
    const calls = [{ id: 'c1', name: 'f', arguments: { x: 1 } }];
    await using server = await startModelServer([script.calls(calls), script.calls(calls)]);
    const runtime = runtimeOver(wire, server.url);
    const { callback, events, summary } = recorder();
    const tools = [tool('f')];
    const reported = await ask(runtime, { callback }, { tools });
    const withoutTiming = (parts: StreamPart[]) => parts.filter(({ type }) => type !== 'timing');
    expect(withoutTiming(reported)).toEqual(withoutTiming(await ask(runtime, {}, { tools })));
    expect(events.filter((event) => !String(event).startsWith('usage'))).toEqual([
      'start',
      'first token',
      'call f',
      'final done',
    ]);
    expect(summary()).toMatchObject({ outcome: 'done', toolCalls: calls, text: '' });
  });
});

describe('callbacks', () => {
  test('report a failed answer with its error, and one that was cancelled', async () => {
    await using server = await startModelServer([reply.error(401, 'Incorrect API key'), reply.text('one two three')]);
    const runtime = runtimeOver('openai-chat', server.url);
    const failed = recorder();
    await ask(runtime, { callback: failed.callback });
    expect(failed.events).toEqual(['start', 'final failed']);
    expect(failed.summary()).toMatchObject({ outcome: 'failed', error: { code: 'invalid_key' } });
    const left = recorder();
    for await (const _batch of runtime.chat(request('hi'), { callback: left.callback })) break;
    expect(left.events).toContain('final stopped');
  });

  test('that throw end the stream with their error; the end is still reported', async () => {
    await using server = await startModelServer([reply.text('one')]);
    let ended = false;
    const callback: ChatCallbacks = {
      onFirstToken() {
        throw new Error('of the caller');
      },
      onFinal: () => (ended = true),
    };
    await expect(ask(runtimeOver('openai-chat', server.url), { callback })).rejects.toThrow('of the caller');
    expect(ended).toBe(true);
  });

  test('work with the demo', async () => {
    const { callback, summary } = recorder();
    const runtime = createDemoRuntime({
      clock: { now: () => 0, monotonic: () => 0, after: () => () => undefined },
      newId: () => 'id',
    });
    await ask(runtime, { callback }, { model: 'demo' });
    expect(summary()).toMatchObject({ outcome: 'done' });
    expect(summary()?.text).not.toBe('');
  });
});

describe('invalid options', () => {
  test.each([
    ['a trace id of another length', { traceId: 'abc' }, '"traceId" must have 32 lowercase hexadecimal digits'],
    ['a trace id of zeros', { traceId: '0'.repeat(32) }, '"traceId" must have 32 lowercase hexadecimal digits'],
    ['a header value with a line break', { headers: { 'x-a': 'b\r\nx-c: d' } }, 'line breaks'],
    ['a header name with a line break', { headers: { 'x-a\r\nx-c': 'd' } }, 'line breaks'],
  ])('are rejected before the request: %s', async (_title, options, message) => {
    await using server = await startModelServer([reply.text('never')]);
    const error = errorIn(await ask(runtimeOver('openai-chat', server.url), options));
    expect(error?.message).toContain(message);
    expect(server.requests).toHaveLength(0);
  });

  test('secrets in headers of a request are redacted in errors', async () => {
    await using server = await startModelServer([reply.error(400, 'No such team: team-secret-1')]);
    const runtime = runtimeOver('openai-chat', server.url);
    const error = errorIn(await ask(runtime, { headers: { 'x-team': 'team-secret-1' } }));
    expect(error?.message).not.toContain('team-secret-1');
  });

  test('a user id that the server rejects is left out and the request repeated', async () => {
    await using server = await startModelServer([
      reply.json({ error: { message: 'Unrecognized request argument: user', param: 'user' } }, { status: 400 }),
      reply.text('ok'),
    ]);
    const runtime = runtimeOver('openai-chat', server.url);
    expect(textIn(await ask(runtime, {}, { user: 'u-17' }))).toBe('ok');
    expect(server.requests[1]?.body).not.toHaveProperty('user');
  });
});

test('a runtime with another chat keeps everything else', async () => {
  await using server = await startModelServer([reply.text('one')]);
  const runtime = Object.assign(runtimeOver('openai-chat', server.url, { label: 'Mine' }), { canContinue: true });
  const other = withChat(runtime, (body, options) => runtime.chat(body, options));
  expect(other).toMatchObject({ provider: runtime.provider, label: 'Mine', canContinue: true });
  expect(Object.keys(other).sort()).toEqual(
    expect.arrayContaining(['createImage', 'embeddings', 'generateObject', 'models', 'textToSpeech', 'transcribe']),
  );
  expect(textIn(await collect(other, request('hi')))).toBe('one');
});

import type { ModelRuntime, StreamPart } from '@toolyard/model-runtime';
import { fetchSSE } from '@toolyard/model-runtime/fetch-sse';
import type { JsonValue } from '@toolyard/protocol';
import { anthropicReply, eventually, reply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { createCallLimit } from '../../models/call-limit.ts';
import { askAsDescribed } from '../test-fixtures/documented.ts';
import { KEY, userMessage, useModelStage } from '../test-fixtures/model-calls.ts';
import type { TestResponse } from '../test-fixtures/test-server.ts';
import { ANNE, as, BERT, startTestServer } from '../test-fixtures/test-server.ts';
import { OWNER } from '../types.ts';

const { stage, post, runtime } = useModelStage();

const chat = (json: object = {}): Promise<TestResponse> =>
  post('/webapi/chat/p', { model: 'scripted', messages: [userMessage('hi')], ...json });

/** The events of a response in order, by name. */
function readEvents({ text }: TestResponse): [string, JsonValue][] {
  return text
    .split('\n\n')
    .filter((frame) => frame.includes('data: '))
    .map((frame) => [
      /^event: (.*)$/m.exec(frame)?.[1] ?? '',
      JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null') as JsonValue,
    ]);
}

async function collectParts(asked: Parameters<ModelRuntime['chat']>[0], signal?: AbortSignal): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const batch of runtime().chat(asked, signal ? { signal } : {})) parts.push(...batch);
  return parts;
}

describe('POST /webapi/chat/{provider}', () => {
  test('streams one response as events, with its id, usage, speed and end', async () => {
    stage.script = [
      reply.text('data: Hi "you" 🙂', { usage: { prompt_tokens: 4, completion_tokens: 7, total_tokens: 11 } }),
    ];
    const answer = await chat({ parameters: { temperature: 0.5 } });
    const events = readEvents(answer);
    const texts = events.flatMap(([event, data]) => (event === 'text' && typeof data === 'string' ? [data] : []));
    expect(texts.join('')).toBe('data: Hi "you" 🙂');
    expect(events.map(([event]) => event).slice(-3)).toEqual(['usage', 'speed', 'stop']);
    expect(Object.fromEntries(events)).toMatchObject({
      usage: { totalInputTokens: 4, totalOutputTokens: 7, totalTokens: 11 },
      stop: 'stop',
    });
    expect(answer.text.match(/^id: \S+$/gm)).toHaveLength(1);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    expect(stage.upstream.requests[0]?.body).toMatchObject({
      model: 'scripted',
      temperature: 0.5,
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(stage.admitted).toEqual([
      {
        call: { providerId: 'p', modelId: 'scripted', ability: 'chat' },
        usage: { inputTokens: 4, outputTokens: 7 },
        over: true,
      },
    ]);
  });

  test('reports the cost if the price is known, and none otherwise', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 };
    stage.script = [reply.text('Hi.', { usage }), reply.text('Hi.', { usage })];
    const readUsage = (answer: TestResponse): unknown => new Map(readEvents(answer)).get('usage');
    expect(readUsage(await chat({ model: 'dear' }))).toMatchObject({ totalTokens: 130, cost: 0.004 });
    expect(readUsage(await chat())).toEqual({ totalInputTokens: 100, totalOutputTokens: 30, totalTokens: 130 });
  });

  test('supports every API format, with tools and a whole history', async () => {
    const other = await stage.scene.server([
      anthropicReply([{ type: 'tool_use', id: 't1', name: 'clock', input: { zone: 'Asia/Tokyo' } }]),
    ]);
    await stage.models.create(OWNER, { id: 'q', label: 'Q', baseUrl: other.url, wire: 'anthropic-messages' });
    const answer = await post('/webapi/chat/q', {
      model: 'm',
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
        userMessage('What time is it?'),
        {
          role: 'assistant',
          parts: [{ type: 'tool_call', callId: 'c1', name: 'clock', tool: null, arguments: { zone: 'x' } }],
        },
        {
          role: 'tool',
          name: 'clock',
          parts: [
            {
              type: 'tool_result',
              callId: 'c1',
              result: { content: [{ type: 'text', text: 'no such zone' }], isError: true, outcome: 'done' },
            },
          ],
        },
      ],
      tools: [{ name: 'clock', inputSchema: { type: 'object', properties: { zone: { type: 'string' } } } }],
      toolChoice: 'required',
    });
    const calls = readEvents(answer).filter(([event]) => event === 'tool_calls');
    expect(calls[0]?.[1]).toEqual([{ index: 0, id: 't1', type: 'function', function: { name: 'clock' } }]);
    expect(calls.at(-1)?.[1]).toMatchObject([{ index: 0, whole: true }]);
    expect(other.requests[0]?.text).toContain('no such zone');
    expect(other.requests[0]?.body).toMatchObject({ tool_choice: { type: 'any' }, tools: [{ name: 'clock' }] });
  });

  test("sends an image by file name or inline, and accepts only the user's own files", async () => {
    const bytes = Buffer.from('iVBORw0KGgo=', 'base64');
    const { sha256 } = (
      await askAsDescribed(stage.server, '/api/files', { body: bytes, headers: { 'content-type': 'image/png' } })
    ).json as { sha256: string };
    const picture = (source: object) => ({
      messages: [{ role: 'user', parts: [{ type: 'image', mimeType: 'image/png', source }] }],
    });
    for (const source of [{ blob: sha256 }, { data: bytes.toString('base64') }]) {
      expect((await chat(picture(source))).status).toBe(200);
      expect(stage.upstream.requests.at(-1)?.text).toContain(`data:image/png;base64,${bytes.toString('base64')}`);
    }
    expect(await chat(picture({ blob: 'f'.repeat(64) }))).toMatchObject({ status: 404 });
    expect(await chat(picture({ data: '§' }))).toMatchObject({ status: 400 });
    expect(await chat(picture({ url: 'file:///etc/passwd' }))).toMatchObject({ status: 400 });
    expect(stage.upstream.requests).toHaveLength(2);
  });

  test('accepts a conversation above the usual body limit, but not an unlimited one', async () => {
    expect((await chat({ messages: [userMessage('x'.repeat(3_000_000))] })).status).toBe(200);
    expect(await chat({ messages: [userMessage('x'.repeat(33 * 1024 * 1024))] })).toMatchObject({
      status: 413,
      json: { code: 'too_large' },
    });
  });

  test.each<[string, object]>([
    ['no model', { model: '' }],
    ['no message', { messages: [] }],
    ['an unknown field', { apiKey: 'x' }],
    ['a message with an unknown role', { messages: [{ role: 'developer', parts: [] }] }],
    ['a tool with an invalid name', { tools: [{ name: 'a b', inputSchema: {} }] }],
    ['an invalid parameter', { parameters: { temperature: 'hot' } }],
  ])('rejects %s before sending a request', async (_, wrong) => {
    expect(await chat(wrong)).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect(stage.upstream.requests).toEqual([]);
  });

  test('reports an unknown provider as a problem, and its errors as events', async () => {
    const call = { model: 'm', messages: [userMessage('hi')] };
    expect(await post('/webapi/chat/nobody', call)).toMatchObject({ status: 404, json: { code: 'model_not_found' } });
    stage.script = [reply.error(429, { error: { message: `over quota, key ${KEY}`, code: 'insufficient_quota' } })];
    const refused = await chat();
    expect(readEvents(refused)).toEqual([
      [
        'error',
        expect.objectContaining({ type: 'quota_exceeded', provider: 'p', message: expect.any(String) as string }),
      ],
    ]);
    expect(refused.text).not.toContain(KEY);
    stage.script = [reply.text('half', { finish: null, done: false, thenCut: true })];
    expect(readEvents(await chat()).map(([event]) => event)).toEqual(['text', 'error']);
    expect(stage.admitted.every(({ over }) => over)).toBe(true);
  });

  test("cancels the provider's request when the client disconnects", async () => {
    stage.script = [reply.text('one two', { finish: null, done: false, thenSilence: true })];
    const controller = new AbortController();
    let aborted: string | undefined;
    await fetchSSE(`${stage.server.url}/webapi/chat/p`, {
      body: { model: 'scripted', messages: [userMessage('hi')] },
      signal: controller.signal,
      onMessageHandle: () => controller.abort(),
      onAbort: (text) => void (aborted = text),
    });
    expect(aborted).not.toBe('');
    await eventually(() => expect(stage.upstream.requests[0]?.clientLeft).toBe(true));
    await eventually(() => expect(stage.admitted[0]?.over).toBe(true));
  });

  test('ends the response when the server stops, and marks it as incomplete', async () => {
    stage.script = [reply.text('half', { finish: null, done: false, thenSilence: true })];
    const reading = collectParts({
      model: 'scripted',
      messages: [{ id: 'm', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      tools: [],
      toolChoice: 'auto',
      toolMode: 'native',
      parameters: {},
    });
    await eventually(() => expect(stage.upstream.requests).toHaveLength(1));
    stage.server.app.close();
    expect((await reading).at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_broken' } });
  });
});

describe('authorization', () => {
  test("requires a principal of the server, and uses only the owner's providers", async () => {
    await stage.models.create(ANNE.principal, { id: 'of-anne', label: 'A', baseUrl: stage.upstream.url, apiKey: KEY });
    const guarded = await startTestServer({ security: { tokens: [ANNE, BERT] }, change: { models: stage.models } });
    try {
      const json = { model: 'scripted', messages: [userMessage('hi')] };
      const target = '/webapi/chat/of-anne';
      expect((await guarded.ask(target, { json })).status).toBe(401);
      expect((await guarded.ask(target, { json, headers: as(BERT) })).status).toBe(404);
      expect((await guarded.ask(target, { json, headers: as(ANNE) })).text).toContain('event: stop');
      expect(stage.upstream.requests).toHaveLength(1);
    } finally {
      await guarded.close();
    }
  });

  test('limits concurrent calls per owner, and releases them afterwards', () => {
    const limit = createCallLimit(2);
    const first = limit.admit(ANNE.principal);
    limit.admit(ANNE.principal);
    expect(() => limit.admit(ANNE.principal)).toThrow(/2 model calls/);
    limit.admit(BERT.principal);
    first(undefined);
    expect(() => limit.admit(ANNE.principal)).not.toThrow();
  });

  test('does not send a call that the policy rejects', async () => {
    const refusing = await startTestServer({
      change: { models: stage.models, callPolicy: createCallLimit(0) },
    });
    try {
      const answer = await refusing.ask('/webapi/chat/p', {
        json: { model: 'scripted', messages: [userMessage('hi')] },
      });
      expect(answer).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
      expect(stage.upstream.requests).toEqual([]);
    } finally {
      await refusing.close();
    }
  });
});

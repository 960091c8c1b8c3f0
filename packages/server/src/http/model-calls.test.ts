import { createWebApiRuntime } from '@toolyard/model-runtime/webapi';
import { fetchSSE } from '@toolyard/model-runtime/fetch-sse';
import type { ModelRuntime, StreamPart } from '@toolyard/model-runtime';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import type { ModelReply, ModelServer } from '@toolyard/testing';
import { anthropicReply, eventually, reply } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { CallPolicy, OutsideCall } from '../models/call-limit.ts';
import { createCallLimit } from '../models/call-limit.ts';
import type { ModelsScene } from '../models/test-fixtures/models-scene.ts';
import { setModelsScene } from '../models/test-fixtures/models-scene.ts';
import type { ModelsService } from '../models/models.ts';
import { askAsDescribed } from './test-fixtures/documented.ts';
import type { Answer, TestServer } from './test-fixtures/test-server.ts';
import { ANNE, as, BERT, startTestServer } from './test-fixtures/test-server.ts';
import { OWNER } from './types.ts';

const KEY = 'canary-key-of-the-provider';

let scene: ModelsScene;
let models: ModelsService;
let upstream: ModelServer;
let server: TestServer;
/** What the provider answers next. */
let script: ModelReply[];
let admitted: { call: OutsideCall; usage?: unknown; over: boolean }[];

const policy: CallPolicy = {
  admit(_principal, call) {
    const entry: (typeof admitted)[number] = { call, over: false };
    admitted.push(entry);
    return (usage) => Object.assign(entry, { usage, over: true });
  },
};

beforeEach(async () => {
  script = [];
  admitted = [];
  scene = await setModelsScene();
  models = await scene.models({
    statedModels: { 'p/dear': { price: { inputPerMillion: 10, outputPerMillion: 100 } } },
  });
  upstream = await scene.server(() => script.shift() ?? reply.text('Hello.'), { requireKey: KEY });
  await models.create(OWNER, { id: 'p', label: 'P', baseUrl: upstream.url, apiKey: KEY });
  server = await startTestServer({ change: { models, callPolicy: policy } });
});
afterEach(async () => {
  await server.close();
  await scene.end();
});

const said = (text: string) => ({ role: 'user', parts: [{ type: 'text', text }] });
const post = (path: string, json: unknown): Promise<Answer> => askAsDescribed(server, path, { json });
const chat = (json: object = {}): Promise<Answer> =>
  post('/webapi/chat/p', { model: 'scripted', messages: [said('hi')], ...json });

/** The events of an answer, by name, in order. */
function eventsOf({ text }: Answer): [string, JsonValue][] {
  return text
    .split('\n\n')
    .filter((frame) => frame.includes('data: '))
    .map((frame) => [
      /^event: (.*)$/m.exec(frame)?.[1] ?? '',
      JSON.parse(/^data: (.*)$/m.exec(frame)?.[1] ?? 'null') as JsonValue,
    ]);
}

const runtime = (): ModelRuntime =>
  createWebApiRuntime({ provider: 'p', baseUrl: server.url, fetch: (input, init) => fetch(input, init) });

async function partsOf(asked: Parameters<ModelRuntime['chat']>[0], signal?: AbortSignal): Promise<StreamPart[]> {
  const parts: StreamPart[] = [];
  for await (const batch of runtime().chat(asked, signal ? { signal } : {})) parts.push(...batch);
  return parts;
}

describe('POST /webapi/chat/{provider}', () => {
  test('streams one answer as events, with its id, usage, speed and end', async () => {
    script = [reply.text('data: Hi "you" 🙂', { usage: { prompt_tokens: 4, completion_tokens: 7, total_tokens: 11 } })];
    const answer = await chat({ parameters: { temperature: 0.5 } });
    const events = eventsOf(answer);
    const texts = events.flatMap(([event, data]) => (event === 'text' && typeof data === 'string' ? [data] : []));
    expect(texts.join('')).toBe('data: Hi "you" 🙂');
    expect(events.map(([event]) => event).slice(-3)).toEqual(['usage', 'speed', 'stop']);
    expect(Object.fromEntries(events)).toMatchObject({
      usage: { totalInputTokens: 4, totalOutputTokens: 7, totalTokens: 11 },
      stop: 'stop',
    });
    expect(answer.text.match(/^id: \S+$/gm)).toHaveLength(1);
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
    expect(upstream.requests[0]?.body).toMatchObject({
      model: 'scripted',
      temperature: 0.5,
      messages: [{ role: 'user', content: 'hi' }],
    });
    expect(admitted).toEqual([
      {
        call: { providerId: 'p', modelId: 'scripted', ability: 'chat' },
        usage: { inputTokens: 4, outputTokens: 7 },
        over: true,
      },
    ]);
  });

  test('says what the answer cost where its price is known, and nothing where it is not', async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 30, total_tokens: 130 };
    script = [reply.text('Hi.', { usage }), reply.text('Hi.', { usage })];
    const usageOf = (answer: Answer): unknown => new Map(eventsOf(answer)).get('usage');
    expect(usageOf(await chat({ model: 'dear' }))).toMatchObject({ totalTokens: 130, cost: 0.004 });
    expect(usageOf(await chat())).toEqual({ totalInputTokens: 100, totalOutputTokens: 30, totalTokens: 130 });
  });

  test('goes over whichever API the provider speaks, with tools and a whole history', async () => {
    const other = await scene.server([
      anthropicReply([{ type: 'tool_use', id: 't1', name: 'clock', input: { zone: 'Asia/Tokyo' } }]),
    ]);
    await models.create(OWNER, { id: 'q', label: 'Q', baseUrl: other.url, wire: 'anthropic-messages' });
    const answer = await post('/webapi/chat/q', {
      model: 'm',
      messages: [
        { role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
        said('What time is it?'),
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
    const calls = eventsOf(answer).filter(([event]) => event === 'tool_calls');
    expect(calls[0]?.[1]).toEqual([{ index: 0, id: 't1', type: 'function', function: { name: 'clock' } }]);
    expect(calls.at(-1)?.[1]).toMatchObject([{ index: 0, whole: true }]);
    expect(other.requests[0]?.text).toContain('no such zone');
    expect(other.requests[0]?.body).toMatchObject({ tool_choice: { type: 'any' }, tools: [{ name: 'clock' }] });
  });

  test('a picture goes along by the name of its file or as it is, and only one’s own file is a file', async () => {
    const bytes = Buffer.from('iVBORw0KGgo=', 'base64');
    const { sha256 } = (
      await askAsDescribed(server, '/api/files', { body: bytes, headers: { 'content-type': 'image/png' } })
    ).json as { sha256: string };
    const picture = (source: object) => ({
      messages: [{ role: 'user', parts: [{ type: 'image', mimeType: 'image/png', source }] }],
    });
    for (const source of [{ blob: sha256 }, { data: bytes.toString('base64') }]) {
      expect((await chat(picture(source))).status).toBe(200);
      expect(upstream.requests.at(-1)?.text).toContain(`data:image/png;base64,${bytes.toString('base64')}`);
    }
    expect(await chat(picture({ blob: 'f'.repeat(64) }))).toMatchObject({ status: 404 });
    expect(await chat(picture({ data: '§' }))).toMatchObject({ status: 400 });
    expect(await chat(picture({ url: 'file:///etc/passwd' }))).toMatchObject({ status: 400 });
    expect(upstream.requests).toHaveLength(2);
  });

  test('a conversation longer than other bodies may be is taken, one without bound is not', async () => {
    expect((await chat({ messages: [said('x'.repeat(3_000_000))] })).status).toBe(200);
    expect(await chat({ messages: [said('x'.repeat(33 * 1024 * 1024))] })).toMatchObject({
      status: 413,
      json: { code: 'too_large' },
    });
  });

  test.each<[string, object]>([
    ['no model', { model: '' }],
    ['no message', { messages: [] }],
    ['an unknown field', { apiKey: 'x' }],
    ['a message of nobody', { messages: [{ role: 'developer', parts: [] }] }],
    ['a tool of a bad name', { tools: [{ name: 'a b', inputSchema: {} }] }],
    ['a bad setting', { parameters: { temperature: 'hot' } }],
  ])('%s is refused before anything is sent', async (_, wrong) => {
    expect(await chat(wrong)).toMatchObject({ status: 400, json: { code: 'bad_request' } });
    expect(upstream.requests).toEqual([]);
  });

  test('a provider that is not there is told as a problem, what it does wrong as an event', async () => {
    const call = { model: 'm', messages: [said('hi')] };
    expect(await post('/webapi/chat/nobody', call)).toMatchObject({ status: 404, json: { code: 'model_not_found' } });
    script = [reply.error(429, { error: { message: `over quota, key ${KEY}`, code: 'insufficient_quota' } })];
    const refused = await chat();
    expect(eventsOf(refused)).toEqual([
      [
        'error',
        expect.objectContaining({ type: 'quota_exceeded', provider: 'p', message: expect.any(String) as string }),
      ],
    ]);
    expect(refused.text).not.toContain(KEY);
    script = [reply.text('half', { finish: null, done: false, thenCut: true })];
    expect(eventsOf(await chat()).map(([event]) => event)).toEqual(['text', 'error']);
    expect(admitted.every(({ over }) => over)).toBe(true);
  });

  test('a client that leaves ends the call at the provider', async () => {
    script = [reply.text('one two', { finish: null, done: false, thenSilence: true })];
    const controller = new AbortController();
    let aborted: string | undefined;
    await fetchSSE(`${server.url}/webapi/chat/p`, {
      body: { model: 'scripted', messages: [said('hi')] },
      signal: controller.signal,
      onMessageHandle: () => controller.abort(),
      onAbort: (text) => void (aborted = text),
    });
    expect(aborted).not.toBe('');
    await eventually(() => expect(upstream.requests[0]?.clientLeft).toBe(true));
    await eventually(() => expect(admitted[0]?.over).toBe(true));
  });

  test('a server that stops ends the answer, and the reader is told that it is not whole', async () => {
    script = [reply.text('half', { finish: null, done: false, thenSilence: true })];
    const reading = partsOf({
      model: 'scripted',
      messages: [{ id: 'm', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: 'hi' }] }],
      tools: [],
      toolChoice: 'auto',
      toolMode: 'native',
      parameters: {},
    });
    await eventually(() => expect(upstream.requests).toHaveLength(1));
    server.app.close();
    expect((await reading).at(-1)).toMatchObject({ type: 'error', error: { code: 'stream_broken' } });
  });
});

describe('who may', () => {
  test('only a principal of the server, and each their own providers', async () => {
    await models.create(ANNE.principal, { id: 'of-anne', label: 'A', baseUrl: upstream.url, apiKey: KEY });
    const guarded = await startTestServer({ security: { tokens: [ANNE, BERT] }, change: { models } });
    try {
      const json = { model: 'scripted', messages: [said('hi')] };
      const target = '/webapi/chat/of-anne';
      expect((await guarded.ask(target, { json })).status).toBe(401);
      expect((await guarded.ask(target, { json, headers: as(BERT) })).status).toBe(404);
      expect((await guarded.ask(target, { json, headers: as(ANNE) })).text).toContain('event: stop');
      expect(upstream.requests).toHaveLength(1);
    } finally {
      await guarded.close();
    }
  });

  test('so many calls at once, counted for each owner, and freed when they are over', () => {
    const limit = createCallLimit(2);
    const first = limit.admit(ANNE.principal);
    limit.admit(ANNE.principal);
    expect(() => limit.admit(ANNE.principal)).toThrow(/2 model calls/);
    limit.admit(BERT.principal);
    first(undefined);
    expect(() => limit.admit(ANNE.principal)).not.toThrow();
  });

  test('one the policy refuses is never sent', async () => {
    const refusing = await startTestServer({
      change: {
        models,
        callPolicy: createCallLimit(0),
      },
    });
    try {
      const answer = await refusing.ask('/webapi/chat/p', { json: { model: 'scripted', messages: [said('hi')] } });
      expect(answer).toMatchObject({ status: 429, json: { code: 'rate_limited' } });
      expect(upstream.requests).toEqual([]);
    } finally {
      await refusing.close();
    }
  });
});

describe('the other abilities', () => {
  const vectors = { data: [0, 1].map((index) => ({ index, embedding: [index, 0.5] })), usage: { prompt_tokens: 3 } };

  test('texts become vectors', async () => {
    script = [reply.json(vectors), reply.json(vectors)];
    expect((await post('/api/providers/p/embeddings', { model: 'e', input: ['a', 'b'], dimensions: 2 })).json).toEqual({
      vectors: [
        [0, 0.5],
        [1, 0.5],
      ],
      usage: { inputTokens: 3 },
    });
    expect(upstream.requests[0]?.body).toMatchObject({ model: 'e', input: ['a', 'b'], dimensions: 2 });
    expect(await runtime().embeddings?.({ model: 'e', input: ['a', 'b'] })).toMatchObject({
      vectors: [
        [0, 0.5],
        [1, 0.5],
      ],
    });
    expect(admitted[0]).toMatchObject({ call: { ability: 'embeddings' }, usage: { inputTokens: 3 } });
  });

  test('a picture is made, kept as a file, and can be worked from', async () => {
    const data = Buffer.from('a picture').toString('base64');
    script = Array.from({ length: 3 }, () => reply.json({ data: [{ b64_json: data }] }));
    const { images } = (await post('/api/providers/p/images', { model: 'i', prompt: 'a cat', size: '64x64' })).json as {
      images: { type: string; mimeType: string; source: { blob: string } }[];
    };
    expect(images).toEqual([{ type: 'image', mimeType: 'image/png', source: { blob: expect.any(String) as string } }]);
    const kept = await askAsDescribed(server, `/api/files/${images[0]?.source.blob ?? ''}`);
    expect(kept.text).toBe('a picture');
    expect((await post('/api/providers/p/images', { model: 'i', prompt: 'a dog', images })).status).toBe(200);
    expect(upstream.requests[1]).toMatchObject({
      path: '/v1/images/edits',
      text: expect.stringContaining('a picture') as string,
    });
    const made = await runtime().createImage?.({ model: 'i', prompt: 'a cat' });
    expect(made?.images).toEqual([{ type: 'image', mimeType: 'image/png', source: { data } }]);
  });

  test('a text is read aloud and kept, and what is said is written down', async () => {
    script = [
      reply.raw(['some sound'], { headers: { 'content-type': 'audio/mpeg' } }),
      reply.json({ text: 'Good day.' }),
      reply.raw(['some sound'], { headers: { 'content-type': 'audio/mpeg' } }),
      reply.json({ text: 'Good day.' }),
    ];
    const spoken = (await post('/api/providers/p/speech', { model: 's', text: 'Good day.', voice: 'nova' })).json as {
      file: string;
    };
    expect(spoken).toMatchObject({ mimeType: 'audio/mpeg', size: 10 });
    const audio = { type: 'audio', mimeType: 'audio/mpeg', source: { blob: spoken.file } };
    const heard = await post('/api/providers/p/transcriptions', { model: 't', audio, language: 'en' });
    expect(heard.json).toEqual({ text: 'Good day.' });
    expect(upstream.requests[1]?.text).toContain('some sound');
    const there = await runtime().textToSpeech?.({ model: 's', text: 'Good day.' });
    if (there === undefined) throw new Error('nothing was said');
    expect([there.mimeType, Buffer.from(there.data).toString()]).toEqual(['audio/mpeg', 'some sound']);
    expect(await runtime().transcribe?.({ model: 't', audio: there })).toEqual({ text: 'Good day.' });
  });

  test('an object that fits a schema is got, whichever way', async () => {
    const schema: JsonObject = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    script = [reply.text('{"n": 3}'), reply.text('{"n": 4}')];
    const call = { model: 'o', messages: [said('a number')], name: 'number', schema };
    expect((await post('/api/providers/p/objects', call)).json).toMatchObject({ object: { n: 3 }, by: 'native' });
    const messages = [
      {
        id: 'm',
        parentId: null,
        createdAt: 0,
        role: 'user' as const,
        parts: [{ type: 'text' as const, text: 'a number' }],
      },
    ];
    expect(await runtime().generateObject?.({ model: 'o', messages, name: 'number', schema })).toMatchObject({
      object: { n: 4 },
    });
  });

  test('what a provider cannot do, or does wrong, is told in words', async () => {
    expect(await post('/api/providers/demo/embeddings', { model: 'demo', input: ['a'] })).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('"demo" cannot turn texts into vectors') as string },
    });
    script = [reply.error(401, { error: { message: `bad key ${KEY}`, code: 'invalid_api_key' } })];
    const refused = await post('/api/providers/p/embeddings', { model: 'e', input: ['a'] });
    expect(refused).toMatchObject({ status: 502, json: { code: 'invalid_key' } });
    expect(refused.text + server.logged.join()).not.toContain(KEY);
    script = [reply.error(400, 'no such voice')];
    await expect(runtime().textToSpeech?.({ model: 's', text: 'x', voice: 'y' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  test('the models of the provider are listed, and why not where it does not tell', async () => {
    expect(await runtime().models()).toEqual([{ id: 'scripted' }]);
    await models.change(OWNER, 'p', { apiKey: 'wrong' });
    await expect(runtime().models()).rejects.toMatchObject({ code: 'invalid_key' });
  });
});

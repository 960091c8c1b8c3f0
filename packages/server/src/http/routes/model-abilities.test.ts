import type { JsonObject } from '@toolyard/protocol';
import { reply } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { askAsDescribed } from '../test-fixtures/documented.ts';
import { KEY, userMessage, useModelStage } from '../test-fixtures/model-calls.ts';
import { OWNER } from '../types.ts';

const { stage, post, runtime } = useModelStage();

describe('other model endpoints', () => {
  const vectors = { data: [0, 1].map((index) => ({ index, embedding: [index, 0.5] })), usage: { prompt_tokens: 3 } };

  test('creates embeddings', async () => {
    stage.script = [reply.json(vectors), reply.json(vectors)];
    expect((await post('/api/providers/p/embeddings', { model: 'e', input: ['a', 'b'], dimensions: 2 })).json).toEqual({
      vectors: [
        [0, 0.5],
        [1, 0.5],
      ],
      usage: { inputTokens: 3 },
    });
    expect(stage.upstream.requests[0]?.body).toMatchObject({ model: 'e', input: ['a', 'b'], dimensions: 2 });
    expect(await runtime().embeddings?.({ model: 'e', input: ['a', 'b'] })).toMatchObject({
      vectors: [
        [0, 0.5],
        [1, 0.5],
      ],
    });
    expect(stage.admitted[0]).toMatchObject({ call: { ability: 'embeddings' }, usage: { inputTokens: 3 } });
  });

  test('generates an image, stores it as a file, and edits it', async () => {
    // Media are sent by their first bytes.
    const data = Buffer.from('\x89PNG\r\n\x1a\na picture', 'latin1').toString('base64');
    stage.script = Array.from({ length: 3 }, () => reply.json({ data: [{ b64_json: data }] }));
    const { images } = (await post('/api/providers/p/images', { model: 'i', prompt: 'a cat', size: '64x64' })).json as {
      images: { type: string; mimeType: string; source: { blob: string } }[];
    };
    expect(images).toEqual([{ type: 'image', mimeType: 'image/png', source: { blob: expect.any(String) as string } }]);
    const kept = await askAsDescribed(stage.server, `/api/files/${images[0]?.source.blob ?? ''}`);
    expect(kept.text).toContain('a picture');
    expect((await post('/api/providers/p/images', { model: 'i', prompt: 'a dog', images })).status).toBe(200);
    expect(stage.upstream.requests[1]).toMatchObject({
      path: '/v1/images/edits',
      text: expect.stringContaining('a picture') as string,
    });
    const made = await runtime().createImage?.({ model: 'i', prompt: 'a cat' });
    expect(made?.images).toEqual([{ type: 'image', mimeType: 'image/png', source: { data } }]);
  });

  test('generates speech and stores it, and transcribes a recording', async () => {
    stage.script = [
      reply.raw(['some sound'], { headers: { 'content-type': 'audio/mpeg' } }),
      reply.json({ text: 'Good day.' }),
      reply.raw(['some sound'], { headers: { 'content-type': 'audio/mpeg' } }),
      reply.json({ text: 'Good day.' }),
    ];
    const speech = (await post('/api/providers/p/speech', { model: 's', text: 'Good day.', voice: 'nova' })).json as {
      file: string;
    };
    expect(speech).toMatchObject({ mimeType: 'audio/mpeg', size: 10 });
    const audio = { type: 'audio', mimeType: 'audio/mpeg', source: { blob: speech.file } };
    const transcription = await post('/api/providers/p/transcriptions', { model: 't', audio, language: 'en' });
    expect(transcription.json).toEqual({ text: 'Good day.' });
    expect(stage.upstream.requests[1]?.text).toContain('some sound');
    const there = await runtime().textToSpeech?.({ model: 's', text: 'Good day.' });
    if (there === undefined) throw new Error('nothing was said');
    expect([there.mimeType, Buffer.from(there.data).toString()]).toEqual(['audio/mpeg', 'some sound']);
    expect(await runtime().transcribe?.({ model: 't', audio: there })).toEqual({ text: 'Good day.' });
  });

  test('generates an object that matches a schema, by every method', async () => {
    const schema: JsonObject = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    stage.script = [reply.text('{"n": 3}'), reply.text('{"n": 4}')];
    const call = { model: 'o', messages: [userMessage('a number')], name: 'number', schema };
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

  test.each([1, 2, 3])(
    'counts each request for an object, also if only attempt %d of 3 fits, or none',
    async (good) => {
      const schema: JsonObject = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
      const call = { model: 'o', messages: [userMessage('a number')], name: 'number', schema };
      const usage = { prompt_tokens: 4, completion_tokens: 7, total_tokens: 11 };
      const answers = (count: number, last: string) =>
        Array.from({ length: count }, (_, at) => reply.text(at === count - 1 ? last : 'no', { usage }));
      for (const [count, last, status] of [
        [good, '{"n": 3}', 200],
        [3, 'no', 502],
      ] as const) {
        stage.admitted.length = 0;
        stage.script = answers(count, last);
        expect((await post('/api/providers/p/objects', call)).status).toBe(status);
        const counted = { call: { ability: 'objects' }, usage: { inputTokens: 4, outputTokens: 7 } };
        expect(stage.admitted).toMatchObject(Array.from({ length: count }, () => counted));
      }
    },
  );

  test('explains what a provider does not support or does wrong', async () => {
    expect(await post('/api/providers/demo/embeddings', { model: 'demo', input: ['a'] })).toMatchObject({
      status: 400,
      json: { detail: expect.stringContaining('"demo" cannot create embeddings') as string },
    });
    stage.script = [reply.error(401, { error: { message: `bad key ${KEY}`, code: 'invalid_api_key' } })];
    const refused = await post('/api/providers/p/embeddings', { model: 'e', input: ['a'] });
    expect(refused).toMatchObject({ status: 422, json: { code: 'invalid_key' } });
    expect(refused.text + stage.server.logged.join()).not.toContain(KEY);
    stage.script = [reply.error(400, 'no such voice')];
    await expect(runtime().textToSpeech?.({ model: 's', text: 'x', voice: 'y' })).rejects.toMatchObject({
      code: 'bad_request',
    });
  });

  test('lists the models of the provider, or the reason why it cannot', async () => {
    expect(await runtime().models()).toEqual([{ id: 'scripted' }]);
    await stage.models.change(OWNER, 'p', { apiKey: 'wrong' });
    await expect(runtime().models()).rejects.toMatchObject({ code: 'invalid_key' });
  });
});

test('explains credentials of a cloud that cannot be used, as a mistake of the user', async () => {
  const clouds = [
    { id: 'aws', wire: 'bedrock-converse', apiKey: 'mine:short' },
    { id: 'gcp', wire: 'bedrock-converse', apiKey: ':' },
  ] as const;
  for (const { id, wire, apiKey } of clouds) {
    await stage.models.create(OWNER, { id, label: id, baseUrl: stage.upstream.url, apiKey, wire });
    const call = { model: 'm', messages: [userMessage('a number')], name: 'number', schema: { type: 'object' } };
    const { status, json } = await post(`/api/providers/${id}/objects`, call);
    expect([status, json]).toMatchObject([
      422,
      { code: 'bad_config', detail: 'The key is not a Bedrock API key, nor AWS credentials.' },
    ]);
  }
  expect(stage.server.logged).toEqual([]);
});

import { reply, startModelServer } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { runtimeOver } from '../test-fixtures/wires.ts';

describe.each(['openai-chat', 'openai-responses'] as const)('over %s', (wire) => {
  test('embeddings are in the order of the inputs, whatever the order of the response', async () => {
    const data = [
      { index: 1, embedding: [3, 4] },
      { index: 0, embedding: [1, 2] },
    ];
    await using server = await startModelServer([reply.json({ data, usage: { prompt_tokens: 5 } })]);
    expect(await runtimeOver(wire, server.url).embeddings?.({ model: 'e', input: ['a', 'b'] })).toEqual({
      vectors: [
        [1, 2],
        [3, 4],
      ],
      usage: { inputTokens: 5 },
    });
    expect(server.requests[0]?.body).toEqual({ model: 'e', input: ['a', 'b'], encoding_format: 'float' });
  });

  test.each([
    ['too few', [{ index: 0, embedding: [1] }]],
    [
      'duplicate',
      [
        { index: 0, embedding: [1] },
        { index: 0, embedding: [2] },
      ],
    ],
    [
      'non-numeric',
      [
        { index: 0, embedding: ['x'] },
        { index: 1, embedding: [1] },
      ],
    ],
  ])('rejects %s embeddings', async (_, data) => {
    await using server = await startModelServer([reply.json({ data })]);
    await expect(runtimeOver(wire, server.url).embeddings?.({ model: 'e', input: ['a', 'b'] })).rejects.toMatchObject({
      code: 'bad_response',
    });
  });

  test('creates and edits images', async () => {
    await using server = await startModelServer(() =>
      reply.json({ data: [{ b64_json: 'iVBOAA' }, { url: 'https://example.org/a.png' }] }),
    );
    const runtime = runtimeOver(wire, server.url);
    const result = await runtime.createImage?.({ model: 'i', prompt: 'a cat', size: '1024x1024', count: 2 });
    expect(result?.images.map(({ source }) => source)).toEqual([
      { data: 'iVBOAA' },
      { url: 'https://example.org/a.png' },
    ]);
    expect(server.requests[0]?.body).toEqual({ model: 'i', prompt: 'a cat', size: '1024x1024', n: 2 });
    await runtime.createImage?.({
      model: 'i',
      prompt: 'a hat',
      images: [{ type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } }],
    });
    expect(server.requests[1]?.path).toBe('/v1/images/edits');
    expect(server.requests[1]?.headers['content-type']).toMatch(/^multipart\/form-data; boundary=/);
    expect(server.requests[1]?.text).toContain('a hat');
  });

  test('speech is returned as bytes', async () => {
    const bytes = new Uint8Array([1, 2, 255, 0]);
    await using server = await startModelServer([reply.raw([bytes], { headers: { 'content-type': 'audio/mpeg' } })]);
    const speech = await runtimeOver(wire, server.url).textToSpeech?.({ model: 't', text: 'Good day.', voice: 'nova' });
    expect(speech).toEqual({ mimeType: 'audio/mpeg', data: bytes });
    expect(server.requests[0]?.body).toMatchObject({ input: 'Good day.', voice: 'nova', response_format: 'mp3' });
  });

  test('rejects an error with a success status instead of speech', async () => {
    await using server = await startModelServer([reply.json({ error: { message: 'no such voice' } })]);
    const speaking = runtimeOver(wire, server.url).textToSpeech?.({ model: 't', text: 'x' });
    await expect(speaking).rejects.toMatchObject({
      code: 'bad_response',
      message: expect.stringContaining('instead of audio'),
    });
  });

  test('rejects interrupted speech', async () => {
    const half = reply.raw([new Uint8Array([1, 2])], { headers: { 'content-type': 'audio/mpeg' }, thenCut: true });
    await using server = await startModelServer([half]);
    await expect(runtimeOver(wire, server.url).textToSpeech?.({ model: 't', text: 'x' })).rejects.toMatchObject({
      name: 'ToolyardError',
      code: 'stream_broken',
    });
  });

  test('reports an image whose bytes are not loaded', async () => {
    const images = [{ type: 'image', mimeType: 'image/png', source: { url: 'https://example.org/a.png' } } as const];
    const result = runtimeOver(wire, 'http://127.0.0.1:9').createImage?.({ model: 'i', prompt: 'a hat', images });
    await expect(result).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('image to edit'),
    });
  });

  test('transcribes audio; the file name gives its type', async () => {
    await using server = await startModelServer([reply.json({ text: 'Good day.' })]);
    const audio = { mimeType: 'audio/mpeg', data: new Uint8Array([1, 2, 3]) };
    expect(await runtimeOver(wire, server.url).transcribe?.({ model: 'w', audio, language: 'en' })).toEqual({
      text: 'Good day.',
    });
    expect(server.requests[0]?.text).toContain('filename="audio.mp3"');
  });

  test('retries if the server is busy', async () => {
    const busy = reply.error(503, 'busy', { 'retry-after-ms': '1' });
    await using server = await startModelServer([busy, reply.json({ text: 'ok' })]);
    const audio = { mimeType: 'audio/wav', data: new Uint8Array([1]) };
    const runtime = runtimeOver(wire, server.url, { maxRetries: 1, random: () => 1 });
    expect(await runtime.transcribe?.({ model: 'w', audio })).toEqual({ text: 'ok' });
  });
});

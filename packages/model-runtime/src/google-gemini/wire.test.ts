import type { JsonObject, Message, ReasoningEffort } from '@toolyard/protocol';
import { geminiReply, reply, startModelServer, type ModelReply } from '@toolyard/testing';
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
import { runtimeOver } from '../test-fixtures/wires.ts';
import type { ChatRequest, StreamPart } from '../types.ts';
import { toOutgoing } from './request.ts';

function body(messages: Message[] | string, more: Partial<ChatRequest> = {}, without: string[] = []): JsonObject {
  const outgoing = toOutgoing(request(messages, { model: 'gemini-2.0-flash', ...more }), new Set(without));
  return JSON.parse(outgoing.body) as JsonObject;
}

async function ask(scripted: ModelReply, more: Partial<ChatRequest> = {}) {
  await using server = await startModelServer([scripted]);
  return await collect(runtimeOver('google-gemini', server.url), request('hi', more));
}

const png = { type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;
const tools = [tool('f'), tool('g')];

describe('requests', () => {
  test('encode turns, files, calls and results', () => {
    const messages = [
      system('Be kind.'),
      user('look', png, { type: 'audio', mimeType: 'audio/wav', source: { data: 'UklGRgAAAABXQVZF' } }),
      user({ type: 'file', mimeType: 'application/pdf', name: 'a.pdf', source: { data: 'JVBERi0x' } }),
      assistant('So.', call('c1', 'f', { x: 1 }), call('c2', 'g')),
      result('c1', 'f', 'fine'),
      result('c2', 'g', { content: [{ type: 'text', text: 'no' }], isError: true }),
    ];
    const sent = body(messages, { tools });
    expect(sent['systemInstruction']).toEqual({ parts: [{ text: 'Be kind.' }] });
    expect(sent['contents']).toEqual([
      {
        role: 'user',
        parts: [
          { text: 'look' },
          { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
          { inlineData: { mimeType: 'audio/wav', data: 'UklGRgAAAABXQVZF' } },
          { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0x' } },
        ],
      },
      {
        role: 'model',
        parts: [
          { text: 'So.' },
          { functionCall: { name: 'f', args: { x: 1 } } },
          { functionCall: { name: 'g', args: {} } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { name: 'f', response: { output: 'fine' } } },
          { functionResponse: { name: 'g', response: { error: 'Error: no' } } },
        ],
      },
    ]);
    expect(sent['tools']).toEqual([
      {
        functionDeclarations: [
          { name: 'f', description: 'Does f.', parametersJsonSchema: { type: 'object', properties: {} } },
          { name: 'g', description: 'Does g.', parametersJsonSchema: { type: 'object', properties: {} } },
        ],
      },
    ]);
  });

  test('put images into the result, for older models after it', () => {
    const messages = [user('q'), assistant(call('c1', 'f')), result('c1', 'f', { content: [png] })];
    const last = (model: string) => (body(messages, { model, tools })['contents'] as JsonObject[]).at(-1)?.['parts'];
    const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } };
    const response = { name: 'f', response: { output: '[image: shown below]' } };
    expect(last('gemini-3-pro-preview')).toEqual([{ functionResponse: { ...response, parts: [image] } }]);
    expect(last('gemini-2.5-flash')).toEqual([{ functionResponse: response }, image]);
  });

  test.each<[string, ReasoningEffort, JsonObject | undefined]>([
    ['gemini-3-pro-preview', 'medium', { includeThoughts: true, thinkingLevel: 'LOW' }],
    ['gemini-3.1-pro-preview', 'max', { includeThoughts: true, thinkingLevel: 'HIGH' }],
    ['gemini-3-flash', 'none', { includeThoughts: true, thinkingLevel: 'MINIMAL' }],
    ['gemini-2.5-pro', 'none', { includeThoughts: true, thinkingBudget: 128 }],
    ['gemini-2.5-flash', 'none', { includeThoughts: true, thinkingBudget: 0 }],
    ['gemini-2.5-flash-lite', 'max', { includeThoughts: true, thinkingBudget: 24_576 }],
    ['gemini-2.0-flash', 'high', undefined],
  ])('%s thinks %s', (model, reasoningEffort, thinkingConfig) => {
    const sent = body('hi', { model, parameters: { reasoningEffort } })['generationConfig'] as JsonObject | undefined;
    expect(sent?.['thinkingConfig']).toEqual(thinkingConfig);
  });

  test('contain the model in the path, a tuned one with its folder', () => {
    const path = (model: string) => toOutgoing(request('hi', { model }), new Set()).path;
    expect(path('gemini-3-pro')).toBe('/models/gemini-3-pro:streamGenerateContent?alt=sse');
    expect(path('tunedModels/a b')).toBe('/tunedModels/a%20b:streamGenerateContent?alt=sse');
  });

  test('ask for an answer that matches a schema, and for images', () => {
    const schema = { type: 'object', properties: { a: { type: 'number' } } };
    expect(body('hi', { responseFormat: { type: 'json_schema', name: 'n', schema } })['generationConfig']).toEqual({
      responseMimeType: 'application/json',
      responseJsonSchema: schema,
    });
    expect(body('hi', { model: 'gemini-2.5-flash-image' })['generationConfig']).toEqual({
      responseModalities: ['TEXT', 'IMAGE'],
    });
  });
});

describe('signatures', () => {
  const signed = { functionCall: { id: 'g1', name: 'f', args: { x: 1 } }, thoughtSignature: 'c2lnMQ==' };

  /** The parts of an answer as the conversation stores them. */
  function toStoredMessage(parts: readonly StreamPart[]): Message {
    const out: Parameters<typeof assistant>[number][] = [];
    for (const part of parts) {
      const last = out.at(-1);
      const open = typeof last === 'object' && last.type === 'reasoning' && last.signature === undefined ? last : null;
      if (part.type === 'reasoning') out.push({ type: 'reasoning', text: part.text });
      else if (part.type === 'reasoning_signature') {
        if (open === null) out.push({ type: 'reasoning', text: '', signature: part.signature });
        else open.signature = part.signature;
      } else if (part.type === 'text') out.push(part.text);
      else if (part.type === 'tool_call') out.push(call(`c${part.index}`, part.name, part.arguments ?? {}, part.id));
      else if (part.type === 'image') out.push(part);
    }
    return assistant(...out);
  }

  async function again(answer: readonly JsonObject[], model: string) {
    const message = toStoredMessage(await ask(geminiReply(answer), { tools }));
    const sent = body([user('hi'), message, result('c0', 'f', 'r'), result('c1', 'g', 'r')], { model, tools });
    return sent['contents'] as { parts: JsonObject[] }[];
  }

  test('are sent back on the part they arrived on, with ids', async () => {
    const thought = { text: 'Let me think.', thought: true };
    const contents = await again([thought, signed, { functionCall: { id: 'g2', name: 'g', args: {} } }], 'scripted');
    expect(contents[1]?.parts).toEqual([signed, { functionCall: { id: 'g2', name: 'g', args: {} } }]);
    expect(contents[2]?.parts).toMatchObject([{ functionResponse: { id: 'g1' } }, { functionResponse: { id: 'g2' } }]);
  });

  test('of text, of an image and of an empty last part are sent back', async () => {
    const image = { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' }, thoughtSignature: 'cGlj' };
    const contents = await again([{ text: 'Here: ' }, image, { text: '', thoughtSignature: 'ZW5k' }], 'scripted');
    expect(contents[1]?.parts).toEqual([{ text: 'Here: ' }, image, { text: '', thoughtSignature: 'ZW5k' }]);
  });

  test('are not sent to another model; a required one is replaced by the documented placeholder', async () => {
    const contents = await again([signed, { functionCall: { id: 'g2', name: 'g', args: {} } }], 'gemini-3-pro-preview');
    expect(contents[1]?.parts).toEqual([
      { functionCall: { name: 'f', args: { x: 1 } }, thoughtSignature: 'skip_thought_signature_validator' },
      { functionCall: { name: 'g', args: {} } },
    ]);
    const older = await again([signed], 'gemini-2.5-pro');
    expect(older[1]?.parts).toEqual([{ functionCall: { name: 'f', args: { x: 1 } } }]);
  });
});

describe('responses', () => {
  test('thoughts, text, images, citations and usage', async () => {
    const parts = await ask(
      geminiReply(
        [{ text: 'Hm.', thought: true }, { text: 'Yes.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }],
        {
          usage: {
            promptTokenCount: 10,
            cachedContentTokenCount: 4,
            candidatesTokenCount: 5,
            thoughtsTokenCount: 3,
            toolUsePromptTokenCount: 2,
          },
          candidate: { groundingMetadata: { groundingChunks: [{ web: { uri: 'https://example.org/', title: 'E' } }] } },
        },
      ),
    );
    expect(parts).toEqual([
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes.' },
      { type: 'image', mimeType: 'image/png', source: { data: 'AAAA' } },
      { type: 'citation', url: 'https://example.org/', title: 'E' },
      { type: 'usage', usage: { inputTokens: 12, outputTokens: 8, cachedInputTokens: 4, reasoningTokens: 3 } },
      { type: 'finish', reason: 'stop' },
    ]);
  });

  test('a JSON array instead of events', async () => {
    const parts = await ask(geminiReply('all of it', { asArray: true, split: 9 }));
    expect(textIn(parts)).toBe('all of it');
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'stop' });
  });

  test.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'content_filter'],
    ['RECITATION', 'content_filter'],
    ['PROHIBITED_CONTENT', 'content_filter'],
    ['OTHER', 'stop'],
  ])('finish reason %s maps to %s', async (finishReason, reason) => {
    expect((await ask(geminiReply('x', { finishReason }))).at(-1)).toEqual({ type: 'finish', reason });
  });

  test('a call the API reports as malformed does not fail the answer', async () => {
    const parts = await ask(
      geminiReply([], { finishReason: 'MALFORMED_FUNCTION_CALL', candidate: { finishMessage: 'print(f(' } }),
      { tools },
    );
    expect(parts).toContainEqual(expect.objectContaining({ type: 'malformed_tool_call', raw: 'print(f(' }));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
  });

  test('calls without ids, identical calls, calls without arguments', async () => {
    const parts = await ask(
      geminiReply([{ functionCall: { name: 'f' } }, { functionCall: { name: 'f' } }, { functionCall: { args: {} } }]),
      { tools },
    );
    expect(parts.filter((part) => part.type === 'tool_call')).toEqual([
      { type: 'tool_call', index: 0, name: 'f', arguments: {}, argumentsText: '{}' },
      { type: 'tool_call', index: 1, name: 'f', arguments: {}, argumentsText: '{}' },
    ]);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'malformed_tool_call' }));
  });

  test('a blocked request is an error with a reason', async () => {
    const error = errorIn(await ask(reply.events([{ promptFeedback: { blockReason: 'SAFETY' } }])));
    expect(error).toMatchObject({ code: 'refused', message: expect.stringContaining('SAFETY') });
  });

  test('reads the retry delay from the details of an error', async () => {
    const details = [{ '@type': 'x.RetryInfo', retryDelay: '41.5s' }];
    const error = errorIn(
      await ask(
        reply.error(429, { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'Slow down', details } }),
      ),
    );
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: 41_500 });
  });
});

test('drops rejected signatures and retries', async () => {
  const refusal = reply.error(400, {
    error: { code: 400, status: 'INVALID_ARGUMENT', message: 'Thought signature is not valid' },
  });
  await using server = await startModelServer([refusal, geminiReply('ok')]);
  const answer = assistant({ type: 'reasoning', text: '', signature: 'google-gemini:c2ln' }, 'So.');
  const parts = await collect(runtimeOver('google-gemini', server.url), request([user('a'), answer, user('b')]));
  expect(textIn(parts)).toBe('ok');
  expect(server.requests.map(({ text }) => text.includes('c2ln'))).toEqual([true, false]);
});

describe('other operations', () => {
  test('list chat models over all pages', async () => {
    const models = [
      { name: 'models/gemini-3-pro', inputTokenLimit: 1_000_000, supportedGenerationMethods: ['generateContent'] },
      { name: 'models/embed', supportedGenerationMethods: ['embedContent'] },
    ];
    await using server = await startModelServer([], { models: reply.json({ models, nextPageToken: 'p2' }) });
    expect(await runtimeOver('google-gemini', server.url).models()).toEqual([
      { id: 'gemini-3-pro', contextWindow: 1_000_000 },
    ]);
    expect(server.requests.map(({ path }) => path.split('?')[1])).toEqual([
      'pageSize=1000',
      'pageSize=1000&pageToken=p2',
    ]);
  });

  test('reject audio that is not base64', async () => {
    const media = { inlineData: { mimeType: 'audio/L16', data: '***' } };
    await using server = await startModelServer([reply.json({ candidates: [{ content: { parts: [media] } }] })]);
    const speech = runtimeOver('google-gemini', server.url).textToSpeech?.({ model: 't', text: 'x' });
    await expect(speech).rejects.toMatchObject({ name: 'ToolyardError', code: 'bad_response' });
  });

  test('embeddings, images, speech and transcription', async () => {
    const answer = (part: JsonObject) => reply.json({ candidates: [{ content: { parts: [part] } }] });
    const samples = btoa('\x01\x02\x03\x04');
    await using server = await startModelServer([
      reply.json({ embeddings: [{ values: [1, 2] }, { values: [3, 4] }] }),
      answer({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
      reply.json({ predictions: [{ bytesBase64Encoded: 'BBBB', mimeType: 'image/png' }] }),
      answer({ inlineData: { mimeType: 'audio/L16;codec=pcm;rate=24000', data: samples } }),
      answer({ text: ' Good day. ' }),
    ]);
    const runtime = runtimeOver('google-gemini', server.url);
    expect(await runtime.embeddings?.({ model: 'e', input: ['a', 'b'], dimensions: 2 })).toEqual({
      vectors: [
        [1, 2],
        [3, 4],
      ],
    });
    expect(
      await runtime.createImage?.({ model: 'gemini-2.5-flash-image', prompt: 'a cat', size: '1024x1536' }),
    ).toEqual({
      images: [{ type: 'image', mimeType: 'image/png', source: { data: 'AAAA' } }],
    });
    expect(await runtime.createImage?.({ model: 'imagen-4', prompt: 'a cat', count: 1 })).toEqual({
      images: [{ type: 'image', mimeType: 'image/png', source: { data: 'BBBB' } }],
    });
    const speech = await runtime.textToSpeech?.({ model: 't', text: 'Good day.' });
    expect(speech?.mimeType).toBe('audio/wav');
    expect(new TextDecoder().decode(speech?.data.slice(0, 4))).toBe('RIFF');
    expect(speech?.data).toHaveLength(48);
    const audio = { mimeType: 'audio/wav', data: new Uint8Array([1, 2, 3]) };
    expect(await runtime.transcribe?.({ model: 'm', audio, language: 'en' })).toEqual({ text: 'Good day.' });
    expect(server.requests.map(({ path }) => path.split(':').at(-1))).toEqual([
      'batchEmbedContents',
      'generateContent',
      'predict',
      'generateContent',
      'generateContent',
    ]);
    expect(server.requests[1]?.text).toContain('"aspectRatio":"2:3"');
    expect(server.requests[4]?.text).toContain('"AQID"');
  });
});

import { createFakeClock, converseReply, reply, startModelServer, type ModelReply } from '@toolyard/testing';
import type { Fetch } from '@toolyard/protocol';
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
import type { ModelRuntimeOptions } from '../create-runtime.ts';
import type { ChatRequest } from '../types.ts';
import { expectedAuthorization } from './test-fixtures/expected-signature.ts';

const ID = 'AKIACANARY0000000001';
const SECRET = 'canary/secret+access=key00000000000000001';
const TOKEN = 'canary-session-token//==';
const KEY = `${ID}:${SECRET}:${TOKEN}`;
const HOST = 'https://bedrock-runtime.eu-central-1.amazonaws.com';
const CLAUDE = 'eu.anthropic.claude-sonnet-4-5-20250929-v1:0';

/** The hosts of Amazon, all at one scripted server; records the URLs. */
function amazonAt(origin: string): { fetch: Fetch; urls: URL[] } {
  const urls: URL[] = [];
  const fetch: Fetch = (input, init) => {
    const url = new URL(input);
    urls.push(url);
    return globalThis.fetch(`${origin}${url.pathname}${url.search}`, init);
  };
  return { fetch, urls };
}

async function ask(
  script: ModelReply | readonly ModelReply[],
  more: Partial<ChatRequest> = {},
  options: Partial<ModelRuntimeOptions> = {},
) {
  await using server = await startModelServer(Array.isArray(script) ? script : [script as ModelReply]);
  const { fetch, urls } = amazonAt(server.origin);
  const runtime = runtimeOver('bedrock-converse', HOST, { fetch, apiKey: KEY, ...options });
  const parts = await collect(runtime, request('hi', { model: CLAUDE, ...more }));
  return { parts, urls, requests: server.requests };
}

describe('signatures', () => {
  test('are those of AWS for the host, region and time, with the session token', async () => {
    const clock = createFakeClock();
    const { parts, requests, urls } = await ask(converseReply('Hello.'), {}, { clock });
    expect(textIn(parts)).toBe('Hello.');
    const [sent] = requests;
    if (sent === undefined) throw new Error('no request');
    // The server is at another host than the one that was signed.
    const asSigned = { ...sent, headers: { ...sent.headers, host: urls[0]?.host } };
    const expected = expectedAuthorization(asSigned, { id: ID, secret: SECRET, region: 'eu-central-1' });
    expect(sent.headers.authorization).toBe(expected);
    expect(sent.headers['x-amz-security-token']).toBe(TOKEN);
    const time = new Date(clock.now()).toISOString().replace(/[:-]|\.\d+/g, '');
    expect(sent.headers['x-amz-date']).toBe(time);
    expect(sent.path).toBe(`/model/${encodeURIComponent(CLAUDE)}/converse-stream`);
    // A changed body has another signature: the comparison proves something.
    const changed = { ...asSigned, text: `${sent.text} ` };
    expect(expectedAuthorization(changed, { id: ID, secret: SECRET, region: 'eu-central-1' })).not.toBe(expected);
  });

  test('are replaced by a Bedrock API key', async () => {
    const { requests } = await ask(converseReply('Hello.'), {}, { apiKey: 'bedrock-api-key-1' });
    expect(requests[0]?.headers.authorization).toBe('Bearer bedrock-api-key-1');
  });

  test.each(['AKIA:x', `${ID}:`, `${ID}:${SECRET}:`, ':'])('%j: is reported without a request', async (apiKey) => {
    const { parts, requests } = await ask([], {}, { apiKey });
    expect(errorIn(parts)).toMatchObject({ code: 'bad_config', hint: expect.stringContaining('SESSION_TOKEN') });
    expect(requests).toEqual([]);
  });
});

test('lists models and inference profiles of the control plane', async () => {
  const urls: URL[] = [];
  const fetch: Fetch = (input) => {
    const url = new URL(input);
    urls.push(url);
    if (url.pathname === '/foundation-models') {
      const modelSummaries = [
        { modelId: 'amazon.nova-lite-v1:0', providerName: 'Amazon', inferenceTypesSupported: ['ON_DEMAND'] },
        { modelId: 'by-profile-only', inferenceTypesSupported: ['INFERENCE_PROFILE'] },
        { modelId: 'not-streamed', responseStreamingSupported: false },
      ];
      return Promise.resolve(Response.json({ modelSummaries }));
    }
    const isFirst = url.searchParams.get('nextToken') === null;
    const inferenceProfileSummaries = [{ inferenceProfileId: isFirst ? CLAUDE : 'eu.other', status: 'ACTIVE' }];
    return Promise.resolve(Response.json({ inferenceProfileSummaries, ...(isFirst ? { nextToken: 'n' } : {}) }));
  };
  const runtime = runtimeOver('bedrock-converse', HOST, { fetch, apiKey: KEY });
  expect(await runtime.models()).toEqual([
    { id: 'amazon.nova-lite-v1:0', ownedBy: 'Amazon' },
    { id: CLAUDE },
    { id: 'eu.other' },
  ]);
  expect(new Set(urls.map(({ host }) => host))).toEqual(new Set(['bedrock.eu-central-1.amazonaws.com']));
});

describe('answers', () => {
  const blocks = [
    { type: 'reasoning', text: 'Hm, well.', signature: 'c2ln' },
    { type: 'text', text: 'Hello 世界 🙂' },
    { type: 'tool_use', id: 'tooluse_1', name: 'f', input: { x: 'a "b" 🙂' } },
    { type: 'tool_use', id: 'tooluse_2', name: 'g', input: {} },
  ] as const;

  test.each([{}, { split: 'byte' }, { split: 7 }, { split: 'whole' }] as const)(
    'are read however their frames are split: %j',
    async (split) => {
      const usage = {
        inputTokens: 3,
        outputTokens: 7,
        cacheReadInputTokens: 20,
        cacheWriteInputTokens: 1,
        totalTokens: 31,
      };
      const { parts } = await ask(converseReply(blocks, { usage, ...split }), { tools: [tool('f'), tool('g')] });
      expect(textIn(parts)).toBe('Hello 世界 🙂');
      expect(parts.flatMap((part) => (part.type === 'reasoning' ? [part.text] : [])).join('')).toBe('Hm, well.');
      expect(parts).toContainEqual({ type: 'reasoning_signature', signature: 'bedrock-converse:thinking:c2ln' });
      expect(
        parts.flatMap((part) => (part.type === 'tool_call' ? [[part.id, part.name, part.arguments]] : [])),
      ).toEqual([
        ['tooluse_1', 'f', { x: 'a "b" 🙂' }],
        ['tooluse_2', 'g', {}],
      ]);
      expect(parts).toContainEqual({
        type: 'usage',
        usage: { inputTokens: 24, outputTokens: 7, cachedInputTokens: 20, cacheWriteTokens: 1 },
      });
      expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'tool_calls' });
    },
  );

  test('that end at the token limit say so', async () => {
    const { parts } = await ask(converseReply('Half', { stopReason: 'max_tokens' }));
    expect(parts.at(-1)).toEqual({ type: 'finish', reason: 'length' });
  });

  test.each([
    ['without their end', { stopReason: null }],
    ['of a closed connection', { stopReason: null, thenCut: true }],
  ])('%s are broken', async (_, options) => {
    const { parts } = await ask(converseReply('Half', options));
    expect(textIn(parts)).toBe('Half');
    expect(errorIn(parts)).toMatchObject({ code: 'stream_broken', retryable: true });
  });

  test('with damaged frames, or in another format, are reported', async () => {
    const whole = converseReply('Hello there.', { split: 'whole' });
    const damaged = whole.writes.map((bytes) => bytes.map((byte, at) => (at === bytes.length - 40 ? byte ^ 1 : byte)));
    expect(errorIn((await ask({ ...whole, writes: damaged })).parts).message).toContain('damaged');
    const other = reply.json({ output: { message: { role: 'assistant', content: [{ text: 'Hello.' }] } } });
    expect(errorIn((await ask(other)).parts).message).toContain('not an event stream');
  });
});

describe('requests', () => {
  const png = { type: 'image', mimeType: 'image/png', source: { data: 'iVBORw0KGgo=' } } as const;

  test('name each document differently, and contain the last five', async () => {
    const pdf = (name: string) =>
      ({ type: 'file', mimeType: 'application/pdf', name, source: { data: 'JVBERi0x' } }) as const;
    const names = async (...turns: string[][]): Promise<string[]> => {
      const messages = turns.flatMap((files) => [user('read', ...files.map(pdf)), assistant('ok')]).slice(0, -1);
      const { requests } = await ask(converseReply('ok'), { messages });
      return [...JSON.stringify(requests[0]?.body).matchAll(/"name":"([^"]*)"|\[file ([^:]*):/g)].map(
        ([, sent, left]) => sent ?? `- ${left}`,
      );
    };
    expect(await names(['a.pdf', 'A pdf'], ['a.pdf'])).toEqual(['a pdf', 'A pdf (2)', 'a pdf (3)']);
    expect(await names(['a.pdf'])).toEqual(['a pdf']);
    const many = await names(['1', '2', '3'], ['4'], ['5', '6', '1']);
    expect(many).toEqual(['- 1', '- 2', '3', '4', '5', '6', '1']);
  });

  test('contain the conversation, settings, tools and thinking', async () => {
    const answer = assistant(
      { type: 'reasoning', text: 'Hm.', signature: 'bedrock-converse:thinking:c2ln' },
      'So.',
      call('c.1', 'f', { x: 1 }, 'tooluse_1'),
    );
    answer.model = CLAUDE;
    const messages = [
      system('Be kind.'),
      user('look', png, { type: 'file', mimeType: 'application/pdf', name: 'a_b.pdf', source: { data: 'JVBERi0x' } }),
      answer,
      result('c.1', 'f', { content: [{ type: 'text', text: 'no' }, png], isError: true }),
    ];
    const parameters: ChatRequest['parameters'] = { maxOutputTokens: 99, stop: ['END'], reasoningEffort: 'low' };
    const { requests } = await ask(converseReply('ok'), {
      messages,
      parameters,
      tools: [tool('f')],
      user: 'u-17',
      toolChoice: 'auto',
    });
    const mark = { cachePoint: { type: 'default' } };
    expect(requests[0]?.body).toEqual({
      system: [{ text: 'Be kind.' }, mark],
      messages: [
        {
          role: 'user',
          content: [
            { text: 'look' },
            { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } },
            { document: { format: 'pdf', name: 'a b pdf', source: { bytes: 'JVBERi0x' } } },
            mark,
          ],
        },
        {
          role: 'assistant',
          content: [
            { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'c2ln' } } },
            { text: 'So.' },
            { toolUse: { toolUseId: 'tooluse_1', name: 'f', input: { x: 1 } } },
          ],
        },
        {
          role: 'user',
          content: [
            {
              toolResult: {
                toolUseId: 'tooluse_1',
                content: [
                  { text: expect.stringContaining('no') },
                  { image: { format: 'png', source: { bytes: 'iVBORw0KGgo=' } } },
                ],
                status: 'error',
              },
            },
            mark,
          ],
        },
      ],
      toolConfig: {
        tools: [
          {
            toolSpec: {
              name: 'f',
              description: 'Does f.',
              inputSchema: { json: { type: 'object', properties: {} } },
            },
          },
        ],
      },
      inferenceConfig: { maxTokens: 99 + 4096, stopSequences: ['END'] },
      additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 4096 } },
      requestMetadata: { user: 'u-17' },
    });
  });

  test('without tools contain earlier calls as text, because the API would reject them', async () => {
    const messages = [user('hi'), assistant(call('c.1', 'f')), result('c.1', 'f', 'seen'), user('and?')];
    const { requests } = await ask(converseReply('ok'), { messages });
    expect(requests[0]?.text).not.toMatch(/toolUse|toolResult|toolConfig/);
    expect(requests[0]?.text).toContain('seen');
  });

  test('leave out cache points and tool choice after the model rejected them', async () => {
    const refusal = (message: string) => reply.error(400, { message }, { 'x-amzn-errortype': 'ValidationException' });
    const { parts, requests } = await ask(
      [
        refusal('This model does not support the cachePoint field.'),
        refusal('This model does not support the toolConfig.toolChoice.any field.'),
        converseReply('ok'),
      ],
      { tools: [tool('f')], toolChoice: 'required' },
    );
    expect(textIn(parts)).toBe('ok');
    expect(requests[2]?.text).not.toMatch(/cachePoint|toolChoice/);
    expect(parts).toContainEqual(expect.objectContaining({ type: 'notice', code: 'setting_left_out' }));
  });
});

describe('errors', () => {
  test.each([
    [429, 'ThrottlingException', 'Too many requests', 'rate_limited', true],
    [400, 'ServiceQuotaExceededException', 'Quota exceeded', 'quota_exceeded', false],
    [403, 'AccessDeniedException', 'You do not have access to the model', 'invalid_key', false],
    [403, 'ExpiredTokenException', 'The security token included in the request is expired', 'invalid_key', false],
    [403, 'InvalidSignatureException', `... ${SECRET} ${TOKEN}`, 'invalid_key', false],
    [404, 'ResourceNotFoundException', 'Could not resolve the foundation model', 'model_not_found', false],
    [400, 'ValidationException', 'The provided model identifier is invalid.', 'model_not_found', false],
    [400, 'ValidationException', 'Input is too long for requested model.', 'context_exceeded', false],
    [400, 'ValidationException', 'messages must alternate', 'bad_request', false],
    [503, 'ServiceUnavailableException', 'Try again', 'overloaded', true],
    [424, 'ModelErrorException', 'The model failed', 'overloaded', true],
  ])('%i %s: %s', async (status, type, message, code, retryable) => {
    const { parts } = await ask(reply.error(status, { message }, { 'x-amzn-errortype': `${type}:http://internal` }));
    const error = errorIn(parts);
    expect(error).toMatchObject({ code });
    expect(error.retryable ?? false).toBe(retryable);
    expect(JSON.stringify(error)).not.toContain('canary');
    if (type === 'ExpiredTokenException') expect(error.message).toContain('enter new ones');
  });

  test('in a stream keep the parts before them, and never contain the credentials', async () => {
    const exception = { name: 'throttlingException', message: `slow down ${SECRET} ${TOKEN}` };
    const { parts } = await ask(converseReply('half', { exception }));
    expect(textIn(parts)).toBe('half');
    expect(errorIn(parts)).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(JSON.stringify(parts)).not.toContain('canary');
  });
});

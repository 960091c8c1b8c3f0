import { readdirSync } from 'node:fs';
import type { Fetch } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { converseReply, reply, runNode, SOURCE_CONDITION, startModelServer } from '@toolyard/testing';
import { describe, expect, test } from 'vitest';
import { collect, request, textIn, tool } from '../test-fixtures/requests.ts';
import { WIRE_SCRIPTS } from '../test-fixtures/wires.ts';
import type { WireName } from '@toolyard/protocol';
import { fillAddress, placeholdersIn } from './address.ts';
import { anthropicCompatibleFactory, createProviderRuntime, openaiCompatibleFactory } from './factories.ts';
import { loadProviders, loadUnsupportedProviders } from './load.ts';

const records = await loadProviders();
const KEY = 'canary-key-0123456789';

/** Every provider that comparable products list. */
const KNOWN_ELSEWHERE = `
ai21 ai302 ai360 aihubmix akashchat antgroup anthropic azure azureai baichuan bailiancodingplan bedrock bfl cerebras
chatgpt cloudflare cohere cometapi comfyui deepseek fal fireworksai giteeai github githubcopilot glmcodingplan google
groq higress huggingface hunyuan infiniai internlm jina kimicodingplan lmstudio lobehub longcat meta minimax
minimaxcodingplan mistral modelscope moonshot nebius newapi novita nvidia ollama ollamacloud openai opencodecodingplan
opencodezen openrouter perplexity ppio qiniu qwen replicate router sambanova search1api sensenova siliconcloud spark
stepfun straico streamlake supergrok taichu tencentcloud togetherai unsloth upstage v0 vercelaigateway vllm volcengine
volcenginecodingplan wenxin xai xiaomimimo xinference zenmux zeroone zhipu vertexai freeaiapikey
llamacpp jan koboldcpp textgenerationwebui litellm bedrockconverse vertexclaude`.match(/\S+/g);

/** Fills every placeholder of a base URL. */
const filled = (address: string): string =>
  fillAddress(address, Object.fromEntries(placeholdersIn(address).map((name) => [name, 'mine']))) ?? '';

/** The documented chat endpoint of each wire. */
const ENDPOINT: Record<WireName, RegExp> = {
  'openai-chat': /\/chat\/completions$/,
  'openai-responses': /\/v1\/responses$/,
  'anthropic-messages': /[^1]\/v1\/messages$/,
  'bedrock-converse': /\.amazonaws\.com\/model\/scripted\/converse-stream$/,
  'google-gemini': /\.com\/v1beta\/models\/scripted:streamGenerateContent\?alt=sse$/,
};

/** Records with a path of their own. */
const ENDPOINTS_OF_CLOUDS: Record<string, RegExp> = {
  vertexai: /\/locations\/mine\/publishers\/google\/models\/scripted:streamGenerateContent\?alt=sse$/,
  vertexclaude: /\/locations\/mine\/publishers\/anthropic\/models\/scripted:streamRawPredict$/,
};

describe('known providers', () => {
  test('include or explain each provider that other products list', async () => {
    const unsupported = await loadUnsupportedProviders();
    const ids = [...records, ...unsupported].map(({ id }) => id);
    expect(ids.toSorted()).toEqual(KNOWN_ELSEWHERE?.toSorted());
    expect(records.length).toBeGreaterThan(70);
    for (const { why } of unsupported) expect(why).toMatch(/^\w.+ .+\.$/);
  });

  test.each(records)('$id: base URL, key and source are usable', (record) => {
    const url = new URL(filled(record.baseUrl));
    expect(`${url.origin}${url.pathname}`.replace(/\/$/, '')).toBe(filled(record.baseUrl));
    expect(url.protocol).toBe(record.place === 'own' ? 'http:' : 'https:');
    if (record.place === 'own') expect(url.hostname).toBe('127.0.0.1');
    for (const address of [record.source, record.keyPage ?? record.source]) {
      expect(new URL(address).protocol).toBe('https:');
    }
    for (const name of record.keyVariables) expect(name).toMatch(/^[A-Z][A-Z0-9_]+$/);
  });

  test('are more than forty, each with source and verification status', () => {
    expect(records.length).toBeGreaterThan(40);
    for (const { source, proof } of records) {
      expect(source).toMatch(/^https:\/\/[^/]+\.[a-z]+/);
      expect(['tried', 'documented']).toContain(proof);
    }
  });

  test('have unique ids and match the records of providers/data', async () => {
    const folder = new URL('data/', import.meta.url);
    const modules = readdirSync(folder).map((file) => import(new URL(file, folder).href) as Promise<object>);
    const lists = (await Promise.all(modules)).flatMap((module) => Object.values(module) as { id: string }[][]);
    const unsupported = await loadUnsupportedProviders();
    const ids = lists.flat().map(({ id }) => id);
    expect([...records, ...unsupported].map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('share no environment variable and use none that is set for other purposes', () => {
    const variables = records.flatMap(({ keyVariables, baseUrlVariable }) => [
      ...keyVariables,
      ...(baseUrlVariable === undefined ? [] : [baseUrlVariable]),
    ]);
    expect(new Set(variables).size).toBe(variables.length);
    for (const shared of ['GITHUB_TOKEN', 'GH_TOKEN', 'HF_TOKEN', 'CLOUDFLARE_API_TOKEN', 'AWS_SECRET_ACCESS_KEY']) {
      expect(variables).not.toContain(shared);
    }
  });

  test('are not loaded with the package', async () => {
    const script = `
      import { registerHooks } from 'node:module';
      const seen = [];
      registerHooks({ load: (url, context, next) => (seen.push(url), next(url, context)) });
      const room = await import(${JSON.stringify(new URL('../index.ts', import.meta.url).href)});
      const of = (urls) => urls.filter((url) => url.includes('/providers/data/')).length;
      const before = of(seen);
      await room.loadProviders();
      console.log(before, of(seen));
    `;
    const { stdout } = await runNode([SOURCE_CONDITION, '--input-type=module', '-e', script]);
    expect(stdout.trim()).toBe('0 6');
  });
});

/** A network with one scripted server behind every host; records the requested URLs. */
function createNetwork(origin: string): { fetch: Fetch; requested: URL[] } {
  const requested: URL[] = [];
  const fetch: Fetch = (input, init) => {
    const url = new URL(input);
    requested.push(url);
    return globalThis.fetch(
      `${origin}/v1${url.pathname.replace(/.*(\/chat|\/messages|\/responses|\/models?)/, '$1')}${url.search}`,
      init,
    );
  };
  return { fetch, requested };
}

describe('the runtime of a record', () => {
  test.each(records)('$id: sends requests to the documented URL, with the key', async (record) => {
    const script = WIRE_SCRIPTS.find(({ wire }) => wire === record.wire);
    await using server = await startModelServer([script?.text('Hello.') ?? converseReply('Hello.')], {
      serveAt: 'both',
      requireKey: KEY,
    });
    const { fetch, requested } = createNetwork(server.origin);
    const baseUrl = filled(record.baseUrl);
    const runtime = createProviderRuntime({ ...record, baseUrl }, { fetch, clock: systemClock, apiKey: KEY });
    const parts = await collect(runtime, request('hi', { model: 'scripted' }));
    expect(textIn(parts)).toBe('Hello.');
    expect(requested).toHaveLength(1);
    expect(requested[0]?.href).toMatch(ENDPOINTS_OF_CLOUDS[record.id] ?? ENDPOINT[record.wire]);
    expect(requested[0]?.href.startsWith(baseUrl)).toBe(true);
  });

  test('returns the models a record lists without a request, and finds a list at another URL', async () => {
    await using server = await startModelServer([], { models: ['a/b'] });
    const { fetch, requested } = createNetwork(server.origin);
    const createRuntime = (id: string) => {
      const record = records.find((one) => one.id === id);
      if (record === undefined) throw new Error(id);
      return createProviderRuntime(record, { fetch, clock: systemClock, apiKey: KEY });
    };
    expect((await createRuntime('perplexity').models())[0]).toEqual({ id: 'sonar' });
    expect(requested).toEqual([]);
    expect(await createRuntime('github').models()).toMatchObject([{ id: 'a/b' }]);
    expect(requested.map(String)).toEqual(['https://models.github.ai/catalog/models']);
  });
});

describe('factories', () => {
  test('combine base URL, quirks and headers; later options override', async () => {
    await using server = await startModelServer(() => reply.text('Hi.'));
    const common = { fetch: globalThis.fetch, clock: systemClock };
    const example = openaiCompatibleFactory({
      baseUrl: 'http://127.0.0.1:9',
      quirks: { reasoning: 'thinking' },
      headers: { 'x-title': 'Toolyard', 'x-team': 'a' },
    });
    const runtime = example({ ...common, baseUrl: server.url, headers: { 'x-team': 'b' } });
    await collect(runtime, request('hi', { parameters: { reasoningEffort: 'high' } }));
    expect(server.requests[0]?.headers).toMatchObject({ 'x-title': 'Toolyard', 'x-team': 'b' });
    expect(server.requests[0]?.body).toMatchObject({ thinking: { type: 'enabled' } });
  });

  test("support Anthropic, with the key in the provider's header", async () => {
    const script = WIRE_SCRIPTS.find(({ wire }) => wire === 'anthropic-messages');
    await using server = await startModelServer(() => script?.text('Hi.') ?? reply.error(500, ''));
    const example = anthropicCompatibleFactory({ baseUrl: server.origin, quirks: { bearer: true } });
    const runtime = example({ fetch: globalThis.fetch, clock: systemClock, apiKey: KEY });
    expect(textIn(await collect(runtime, request('hi')))).toBe('Hi.');
    expect(server.requests[0]?.headers.authorization).toBe(`Bearer ${KEY}`);
    expect(server.requests[0]?.headers['x-api-key']).toBeUndefined();
  });
});

test('disable streaming for a provider that cannot stream calls, only if there are tools', async () => {
  const completion = reply.json({
    choices: [
      {
        index: 0,
        finish_reason: 'tool_calls',
        message: {
          role: 'assistant',
          content: null,
          tool_calls: [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }],
        },
      },
    ],
  });
  await using server = await startModelServer([completion, reply.text('Hi.')]);
  const runtime = openaiCompatibleFactory({ baseUrl: server.url, quirks: { noStreamWithTools: true } })({
    fetch: globalThis.fetch,
    clock: systemClock,
  });
  const parts = await collect(runtime, request('hi', { tools: [tool('f')] }));
  expect(parts).toContainEqual(expect.objectContaining({ type: 'tool_call', name: 'f', arguments: { a: 1 } }));
  expect(textIn(await collect(runtime, request('hi')))).toBe('Hi.');
  const [first, second] = server.requests.map(({ body }) => body);
  expect(first).toMatchObject({ stream: false });
  expect(first).not.toHaveProperty('stream_options');
  expect(second).toMatchObject({ stream: true, stream_options: { include_usage: true } });
});

test('fill a base URL with plain names only', () => {
  const address = 'https://{NAME}.example.com/{ACCOUNT}/v1';
  expect(placeholdersIn(address)).toEqual(['NAME', 'ACCOUNT']);
  expect(fillAddress(address, { NAME: ' mine ', ACCOUNT: 'a1' })).toBe('https://mine.example.com/a1/v1');
  expect(fillAddress(address, { NAME: 'mine' })).toBeNull();
  expect(fillAddress(address, { NAME: 'evil.test/', ACCOUNT: 'a1' })).toBeNull();
});

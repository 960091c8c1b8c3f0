import { describe, expect, it } from 'vitest';
import type { ChatRequest, WireName } from '@toolyard/model-runtime';
import type { Fetch } from '@toolyard/protocol';
import { defined, systemClock } from '@toolyard/protocol';
import { chooseModel } from './choose-model.ts';

/**
 * What `toolyard chat --provider` sends for one message: the URL and the header with the key. Written out here from the
 * documentation of each provider, not taken from its record.
 */
const ENDPOINTS: {
  provider: string;
  wire?: WireName;
  env?: NodeJS.ProcessEnv;
  url: string;
  header?: [name: string, value: string];
}[] = [
  {
    provider: 'openai',
    env: { OPENAI_API_KEY: 'k' },
    url: 'https://api.openai.com/v1/responses',
    header: ['authorization', 'Bearer k'],
  },
  {
    provider: 'openai',
    wire: 'openai-chat',
    env: { OPENAI_API_KEY: 'k' },
    url: 'https://api.openai.com/v1/chat/completions',
    header: ['authorization', 'Bearer k'],
  },
  {
    provider: 'anthropic',
    env: { ANTHROPIC_API_KEY: 'k' },
    url: 'https://api.anthropic.com/v1/messages',
    header: ['x-api-key', 'k'],
  },
  {
    provider: 'google',
    env: { GEMINI_API_KEY: 'k' },
    url: 'https://generativelanguage.googleapis.com/v1beta/models/m:streamGenerateContent?alt=sse',
    header: ['x-goog-api-key', 'k'],
  },
  {
    provider: 'azure',
    env: { AZURE_RESOURCE_NAME: 'mine', AZURE_OPENAI_API_KEY: 'k' },
    url: 'https://mine.openai.azure.com/openai/v1/responses',
    header: ['authorization', 'Bearer k'],
  },
  {
    provider: 'bedrock',
    env: { AWS_REGION: 'eu-west-1', AWS_BEARER_TOKEN_BEDROCK: 'k' },
    url: 'https://bedrock-mantle.eu-west-1.api.aws/openai/v1/chat/completions',
    header: ['authorization', 'Bearer k'],
  },
  { provider: 'ollama', url: 'http://127.0.0.1:11434/v1/chat/completions' },
  {
    provider: 'openrouter',
    env: { OPENROUTER_API_KEY: 'k' },
    url: 'https://openrouter.ai/api/v1/chat/completions',
    header: ['authorization', 'Bearer k'],
  },
];

const MESSAGE: Omit<ChatRequest, 'model'> = {
  messages: [{ id: 'm', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: 'Hello' }] }],
  tools: [],
  toolChoice: 'auto',
  toolMode: 'native',
  parameters: {},
};

/** A machine on which these addresses list these models, and nothing else answers. */
function machine(
  servers: Record<string, string[]>,
  env: NodeJS.ProcessEnv = {},
): Parameters<typeof chooseModel>[1] & { asked: string[] } {
  const asked: string[] = [];
  const fetch: Fetch = (input, init) => {
    const url = new URL(input);
    const headers = new Headers(init?.headers);
    asked.push(`${url.origin}${url.pathname} ${headers.get('authorization') ?? headers.get('x-api-key') ?? ''}`);
    const models = servers[url.host];
    if (!models || !url.pathname.endsWith('/models')) return Promise.reject(new TypeError('fetch failed'));
    const data = models.map((id) => ({ id, object: 'model' }));
    return Promise.resolve(Response.json({ object: 'list', data }));
  };
  return { env, fetch, clock: systemClock, asked };
}

describe('chooseModel', () => {
  it('uses the first model of a detected local server and says so', async () => {
    const { model, description } = await chooseModel({}, machine({ '127.0.0.1:11434': ['qwen3', 'llama4'] }));
    expect(model).toMatchObject({ id: 'qwen3', baseUrl: expect.stringContaining('127.0.0.1:11434') });
    expect(description).toMatch(/qwen3 of Ollama .*detected/);
  });

  it('finds the local server that has the requested model', async () => {
    const here = machine({ '127.0.0.1:11434': ['qwen3'], '127.0.0.1:8080': ['gemma'] });
    expect((await chooseModel({ model: 'gemma' }, here)).model).toMatchObject({
      id: 'gemma',
      baseUrl: expect.stringContaining(':8080'),
    });
  });

  it('lists the available models if the requested one is missing', async () => {
    const here = machine({ '127.0.0.1:11434': ['qwen3'] });
    await expect(chooseModel({ model: 'gpt-9' }, here)).rejects.toMatchObject({
      code: 'model_not_found',
      hint: expect.stringContaining('qwen3'),
    });
  });

  it('waits for a detected server that is loading its model, if the command can', async () => {
    const ready = machine({ '127.0.0.1:9931': ['gemma'] });
    let asked = 0;
    const body = { error: { code: 503, message: 'Loading model', type: 'unavailable_error' } };
    const fetch: Fetch = (input, init) => {
      const isIt = new URL(input).host === '127.0.0.1:9931';
      return isIt && asked++ === 0 ? Promise.resolve(Response.json(body, { status: 503 })) : ready.fetch(input, init);
    };
    const said = 'llama.cpp on port 9931 is loading its model.';
    await expect(chooseModel({}, { ...ready, fetch })).rejects.toMatchObject({ code: 'overloaded', message: said });
    asked = 0;
    const texts: string[] = [];
    const { model } = await chooseModel({}, { ...ready, fetch, onLoading: (text) => texts.push(text) });
    expect(model).toMatchObject({ id: 'gemma' });
    expect(texts).toEqual([`${said} Waiting for it.`]);
  });

  it('falls back to the demo and says that it is no language model', async () => {
    const { model, description } = await chooseModel({}, machine({}));
    expect(model).toEqual({ demo: true, id: 'demo' });
    expect(description).toContain('no language model');
  });

  it('prefers flags to the environment, and the environment to detected servers', async () => {
    const servers = { 'flag.test': ['f'], 'env.test': ['e'], '127.0.0.1:11434': ['found'] };
    const here = machine(servers, { OPENAI_BASE_URL: 'http://env.test/v1', OPENAI_API_KEY: 'k' });
    expect((await chooseModel({ baseUrl: 'http://flag.test/v1' }, here)).model).toMatchObject({ id: 'f' });
    expect(here.asked.at(-1)).toBe('http://flag.test/v1/models Bearer k');
    expect((await chooseModel({}, here)).model).toMatchObject({ id: 'e' });
    expect(here.asked.at(-1)).toBe('http://env.test/v1/models Bearer k');
  });

  it('requires --model for a hosted provider with several models', async () => {
    const here = machine({ 'api.example.com': ['a', 'b', 'c'] });
    await expect(chooseModel({ baseUrl: 'https://api.example.com/v1' }, here)).rejects.toMatchObject({
      hint: expect.stringContaining('--model: a, b, c'),
    });
  });

  it('sends no request if base URL and model are given', async () => {
    const { model } = await chooseModel({ baseUrl: 'http://nobody.test', model: 'm' }, machine({}));
    expect(model).toMatchObject({ id: 'm', runtime: { provider: 'http://nobody.test' } });
  });

  it('ignores an empty variable', async () => {
    const { model } = await chooseModel({}, machine({}, { OPENAI_API_KEY: ' ', OPENAI_BASE_URL: '' }));
    expect(model).toMatchObject({ demo: true });
  });

  it('uses the base URL, API format and key of a provider preset', async () => {
    const here = machine(
      { 'api.anthropic.com': ['claude-x', 'claude-y'] },
      { ANTHROPIC_API_KEY: 'k-a', OPENAI_API_KEY: 'k-o' },
    );
    await expect(chooseModel({ provider: 'anthropic' }, here)).rejects.toMatchObject({ code: 'bad_config' });
    expect(here.asked.at(-1)).toBe('https://api.anthropic.com/v1/models k-a');
    const { description } = await chooseModel({ provider: 'anthropic', model: 'claude-x' }, here);
    expect(description).toBe('claude-x at https://api.anthropic.com');
  });

  it('uses the only provider with a key in the environment, and requires --provider for several', async () => {
    const here = machine({ 'generativelanguage.googleapis.com': [] }, { GEMINI_API_KEY: 'k' });
    expect((await chooseModel({ model: 'gemini-x' }, here)).description).toContain('generativelanguage.googleapis.com');
    const several = machine({}, { GEMINI_API_KEY: 'k', MISTRAL_API_KEY: 'k' });
    await expect(chooseModel({ model: 'x' }, several)).rejects.toMatchObject({
      message: expect.stringContaining('google, mistral'),
      hint: expect.stringContaining('--provider'),
    });
    expect((await chooseModel({ model: 'x', provider: 'mistral' }, several)).description).toContain('api.mistral.ai');
  });

  it('uses the API format of --api-format', async () => {
    const here = machine({ 'claude.test': ['c'] });
    const { model } = await chooseModel(
      { baseUrl: 'http://claude.test', apiFormat: 'anthropic-messages', apiKey: 'k' },
      here,
    );
    expect(model).toMatchObject({ id: 'c' });
    expect(here.asked).toEqual(['http://claude.test/v1/models k']);
  });

  it('names an unknown provider, or the missing part of a base URL', async () => {
    await expect(chooseModel({ provider: 'nobody' }, machine({}))).rejects.toMatchObject({
      hint: expect.stringContaining('toolyard providers --known'),
    });
    const azure = { provider: 'azure', model: 'm', apiKey: 'k' };
    await expect(chooseModel(azure, machine({}))).rejects.toMatchObject({
      hint: expect.stringContaining('AZURE_RESOURCE_NAME'),
    });
  });

  it('names the missing key before sending a request, and why a provider is unsupported', async () => {
    const here = machine({});
    await expect(chooseModel({ provider: 'mistral', model: 'm' }, here)).rejects.toMatchObject({
      code: 'invalid_key',
      message: 'Mistral requires an API key, and none is set.',
      hint: expect.stringMatching(/^Set MISTRAL_API_KEY, or pass --api-key. Create a key at https:/),
    });
    const proxy = { provider: 'mistral', model: 'm', baseUrl: 'http://proxy.test/v1' };
    expect((await chooseModel(proxy, here)).description).toBe('m at http://proxy.test/v1');
    await expect(chooseModel({ provider: 'bfl', model: 'm' }, here)).rejects.toMatchObject({
      message: expect.stringContaining('images or video'),
    });
    expect(here.asked).toEqual([]);
  });

  for (const { provider, wire, env = {}, url, header } of ENDPOINTS) {
    it(`sends a message for ${provider} to ${url}`, async () => {
      const sent: { url: string; headers: Headers }[] = [];
      const fetch: Fetch = (input, init) => {
        sent.push({ url: String(input), headers: new Headers(init?.headers) });
        return Promise.resolve(new Response(null, { status: 400 }));
      };
      const { model } = await chooseModel(
        { provider, model: 'm', ...defined({ apiFormat: wire }) },
        { env, fetch, clock: systemClock },
      );
      if (!('runtime' in model)) throw new Error('no runtime was chosen');
      for await (const _batch of model.runtime.chat({ ...MESSAGE, model: model.id }));
      // A server on this machine is asked for its models first.
      expect(sent.map((request) => request.url).filter((each) => !each.endsWith('/models'))).toEqual([url]);
      if (header) expect(sent[0]?.headers.get(header[0])).toBe(header[1]);
    });
  }
});

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createProviderRuntime } from '@toolyard/model-runtime';
import type { ModelReference } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { anthropicReply, geminiReply, reply, responsesReply } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { readConfigFile } from '../config/config-file.ts';
import type { ModelsService } from './models.ts';
import { OWNER as me, useModelsScene } from './test-fixtures/models-scene.ts';
import { testProviderModels } from './test-provider.ts';

const { scene, models, server } = useModelsScene();

async function ask(all: ModelsService, model: ModelReference, parameters = {}): Promise<string> {
  const runtime = await all.open(me, model);
  const messages = [
    { id: 'm', parentId: null, createdAt: 0, role: 'user' as const, parts: [{ type: 'text' as const, text: 'hi' }] },
  ];
  const how = { tools: [], toolChoice: 'auto', toolMode: 'native', parameters } as const;
  let text = '';
  for await (const parts of runtime.chat({ model: model.modelId, messages, ...how })) {
    for (const part of parts)
      text += part.type === 'text' ? part.text : part.type === 'error' ? part.error.message : '';
  }
  return text;
}

const fileWith = (providers: object[]): ReturnType<typeof readConfigFile> => {
  const path = join(scene.folder, 'config.json');
  writeFileSync(path, JSON.stringify({ providers }, null, 1));
  return readConfigFile(path, {});
};

describe('the API format of a provider', () => {
  it.each([
    ['openai-chat', reply.text('Hello.'), /\/chat\/completions$/],
    ['openai-responses', responsesReply('Hello.'), /\/responses$/],
    ['anthropic-messages', anthropicReply('Hello.'), /\/messages$/],
    ['google-gemini', geminiReply('Hello.'), /:streamGenerateContent/],
  ] as const)('%s is tested, stored, listed, and used after a restart', async (wire, answer, path) => {
    const models_ = { models: [{ name: 'models/m', id: 'm' }], data: [{ id: 'm' }] };
    const one = await server(() => answer, { requireKey: 'k', serveAt: 'both', models: reply.json(models_) });
    const before = await models();
    const providerInput = { baseUrl: one.origin, apiKey: 'k', wire };
    expect(await before.test(me, providerInput)).toEqual({ ok: true, models: ['m'] });
    expect(await before.test(me, { ...providerInput, apiKey: 'wrong' })).toMatchObject({
      error: { code: 'invalid_key' },
    });
    expect(await before.create(me, { id: 'one', label: 'One', ...providerInput })).toMatchObject({ wire });
    const after = await models();
    expect(await after.providers(me)).toMatchObject([
      { id: 'one', wire },
      { id: 'demo', wire: null },
    ]);
    expect((await after.list(me)).models[0]).toMatchObject({ providerId: 'one', modelId: 'm' });
    expect(await ask(after, { providerId: 'one', modelId: 'm' })).toBe('Hello.');
    expect(one.requests.at(-1)?.path).toMatch(path);
  });

  it('is OpenAI Chat for providers stored before there were others, and can be changed', async () => {
    const one = await server((request) =>
      request.path.endsWith('/messages') ? anthropicReply('By messages.') : reply.text('By chat.'),
    );
    await scene.storage.settings.set(me, 'providers', [{ id: 'old', label: 'Old', baseUrl: one.url }], 0);
    const all = await models();
    expect((await all.providers(me))[0]).toMatchObject({ id: 'old', wire: 'openai-chat' });
    const model = { providerId: 'old', modelId: 'scripted' };
    expect(await ask(all, model)).toBe('By chat.');
    expect(await all.change(me, 'old', { wire: 'anthropic-messages' })).toMatchObject({ wire: 'anthropic-messages' });
    expect(await ask(all, model)).toBe('By messages.');
    expect(await all.change(me, 'old', { label: 'New' })).toMatchObject({ wire: 'anthropic-messages', label: 'New' });
  });

  it('and its specifics come from the preset of a known provider', async () => {
    const one = await server(() => reply.text('Hello.'));
    const all = await models();
    const made = await all.create(me, { label: 'DeepSeek', baseUrl: one.url, known: 'deepseek' });
    expect(made).toMatchObject({ id: 'deepseek', wire: 'openai-chat', known: 'deepseek' });
    await ask(all, { providerId: 'deepseek', modelId: 'm' }, { reasoningEffort: 'high' });
    expect(one.requests.at(-1)?.body).toMatchObject({ thinking: { type: 'enabled' } });
    await all.change(me, 'deepseek', { known: null });
    await ask(all, { providerId: 'deepseek', modelId: 'm' }, { reasoningEffort: 'high' });
    expect(one.requests.at(-1)?.body).toMatchObject({ reasoning_effort: 'high' });
    await expect(all.create(me, { label: 'x', baseUrl: one.url, known: 'nobody' })).rejects.toMatchObject({
      code: 'bad_request',
      message: expect.stringContaining('"nobody"'),
    });
  });
});

describe('providers of the environment', () => {
  it('are those whose usual variables are set, OpenAI first, without showing keys', async () => {
    const all = await models({
      env: {
        GOOGLE_API_KEY: 'canary-g',
        ANTHROPIC_API_KEY: 'canary-a',
        OPENAI_API_KEY: 'canary-o',
        DEEPSEEK_API_KEY: 'canary-d',
        AZURE_API_KEY: 'canary-z',
        CLOUDFLARE_AI_API_KEY: 'canary-c',
        CLOUDFLARE_ACCOUNT_ID: 'acc1',
        GITHUB_TOKEN: 'canary-gh',
        HF_TOKEN: 'canary-hf',
        VLLM_API_KEY: 'canary-v',
        MISTRAL_API_KEY: ' ',
      },
    });
    const views = await all.providers(me);
    expect(views.map(({ id, wire }) => `${id} ${wire}`)).toEqual([
      'openai openai-responses',
      'anthropic anthropic-messages',
      'cloudflare openai-chat',
      'deepseek openai-chat',
      'google google-gemini',
      'demo null',
    ]);
    expect(views[2]?.baseUrl).toContain('/accounts/acc1/');
    expect(JSON.stringify(views)).not.toContain('canary');
    await expect(all.remove(me, 'google')).rejects.toMatchObject({ hint: expect.stringContaining('GOOGLE_API_KEY') });
  });

  it('use another base URL if it is set', async () => {
    const one = await server(() => anthropicReply('Hello.'), { requireKey: 'k' });
    const all = await models({ env: { ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: one.origin } });
    const id = new URL(one.url).host.replace(':', '-');
    expect((await all.providers(me))[0]).toMatchObject({ id, wire: 'anthropic-messages', origin: 'environment' });
    expect(await ask(all, { providerId: id, modelId: 'scripted' })).toBe('Hello.');
    await expect(models({ env: { ANTHROPIC_BASE_URL: 'ftp://x' } })).rejects.toThrow(/ANTHROPIC_BASE_URL/);
  });
});

describe('providers of the configuration file', () => {
  it('may be known ones with only a key, or have an API format and model names', async () => {
    const one = await server(() => anthropicReply('Hello.'));
    const { providers } = fileWith([
      { id: 'claude', known: 'anthropic', apiKey: 'k' },
      { id: 'mine', baseUrl: one.origin, wire: 'anthropic-messages', models: ['a', 'b'] },
    ]);
    const all = await models({ fileProviders: providers });
    expect(await all.providers(me)).toMatchObject([
      { id: 'claude', label: 'Anthropic', baseUrl: 'https://api.anthropic.com', wire: 'anthropic-messages' },
      { id: 'mine', label: 'mine', wire: 'anthropic-messages', modelNames: ['a', 'b'] },
      { id: 'demo' },
    ]);
    expect(await ask(all, { providerId: 'mine', modelId: 'b' })).toBe('Hello.');
  });

  it.each([
    [{ id: 'x', known: 'nobody' }, /config\.json, line \d+: .*"nobody"/],
    [{ id: 'x', known: 'githubcopilot' }, /config\.json, line \d+: .*subscription/],
    [{ id: 'x', known: 'azure' }, /config\.json, line \d+: .*AZURE_RESOURCE_NAME/],
    [{ id: 'x' }, /config\.json, line \d+: .*no base URL/],
    [{ id: 'x', baseUrl: 'http://127.0.0.1:1', wire: 'morse' }, /config\.json, line \d+: .*openai-chat/],
  ])('report errors with their place: %j', async (provider, message) => {
    await expect(async () => models({ fileProviders: fileWith([provider]).providers })).rejects.toThrow(message);
  });
});

describe('a provider without a model list', () => {
  it('is tested with a short request to a named model, and lists the named models', async () => {
    const one = await server(() => reply.text('Hi.'), { requireKey: 'k', models: reply.error(404, 'No list.') });
    const all = await models();
    const providerInput = { baseUrl: one.url, modelNames: [' sonar ', 'sonar', 'sonar-pro'], apiKey: 'k' };
    expect(await all.test(me, { ...providerInput, modelNames: ['sonar'] })).toEqual({ ok: true, models: ['sonar'] });
    expect(one.requests.at(-1)?.body).toMatchObject({ model: 'sonar' });
    expect(await all.test(me, { ...providerInput, apiKey: 'wrong' })).toMatchObject({ error: { code: 'invalid_key' } });
    expect(await all.create(me, { label: 'One', ...providerInput })).toMatchObject({
      modelNames: ['sonar', 'sonar-pro'],
    });
    expect((await all.list(me)).models.map(({ modelId }) => modelId)).toEqual([
      'sonar',
      'sonar-pro',
      'demo',
      'demo-text',
    ]);
    expect(await all.change(me, 'one', { modelNames: [] })).not.toHaveProperty('modelNames');
  });

  it('requires model names if none are known', async () => {
    const one = await server([]);
    const tried = await (await models()).test(me, { baseUrl: one.url, known: 'azureai' });
    expect(tried).toMatchObject({ ok: false, error: { message: expect.stringContaining('are required') } });
    expect(one.requests).toEqual([]);
  });
});

it('names the tested API format, and the right one if the base URL belongs to a known provider', async () => {
  const baseUrl = 'https://api.anthropic.com';
  const one = await server([], { models: reply.error(401, { error: { message: 'invalid x-api-key' } }) });
  const fetch = (_url: unknown, init?: RequestInit): Promise<Response> => globalThis.fetch(`${one.url}/models`, init);
  const runtime = createProviderRuntime({ wire: 'openai-chat', baseUrl }, { fetch, clock: systemClock, apiKey: 'k' });
  const tried = await testProviderModels({ runtime, baseUrl, wire: 'openai-chat', isNamed: false }, systemClock);
  expect(tried).toMatchObject({
    ok: false,
    error: { hint: 'The API format OpenAI Chat was tested, but Anthropic uses Anthropic Messages: choose that one.' },
  });
});

it('rejects a base URL that still contains a placeholder', async () => {
  const baseUrl = 'https://{AZURE_RESOURCE_NAME}.openai.azure.com/openai/v1';
  const refused = { code: 'bad_request', message: expect.stringContaining('{AZURE_RESOURCE_NAME}') };
  const all = await models();
  await expect(all.create(me, { label: 'Azure', baseUrl })).rejects.toMatchObject(refused);
  expect(await all.test(me, { baseUrl })).toMatchObject({ ok: false, error: refused });
});

it('an unknown provider is reported with the available ones, or with what a known one lacks', async () => {
  const all = await models();
  await all.create(me, { id: 'one', label: 'One', baseUrl: '127.0.0.1:1' });
  const of = (providerId: string) => all.open(me, { providerId, modelId: 'm' });
  await expect(of('nobody')).rejects.toMatchObject({
    message: 'There is no model provider "nobody".',
    hint: expect.stringContaining('Available: one, demo.'),
  });
  await expect(of('openai')).rejects.toMatchObject({
    message: 'The provider "openai" (OpenAI) is not configured.',
    hint: expect.stringMatching(/^Set OPENAI_API_KEY in the environment of the server, or add it .*one, demo/),
  });
  await expect(of('github')).rejects.toMatchObject({ hint: expect.stringMatching(/^Add it in the settings/) });
  await expect(of('bfl')).rejects.toMatchObject({ message: expect.stringContaining('images or video') });
});

it('with the same name, the environment overrides config.json, which overrides the settings; the provider lists what it overrides', async () => {
  const baseUrl = 'http://127.0.0.1:1';
  const own = { id: 'mistral', label: 'Mine', baseUrl };
  await (await models()).create(me, own);
  const { providers: fileProviders } = fileWith([{ id: 'mistral', label: 'Filed', baseUrl }]);
  const shown = async (more: Parameters<typeof models>[0]) => {
    const [first] = await (await models(more)).providers(me);
    return [first?.label, first?.origin, first?.overrides, first?.variables];
  };
  const env = { MISTRAL_API_KEY: 'k' };
  expect(await shown({})).toEqual(['Mine', 'settings', undefined, undefined]);
  expect(await shown({ fileProviders })).toEqual(['Filed', 'file', ['settings'], undefined]);
  const counts = ['Mistral', 'environment', ['file', 'settings'], ['MISTRAL_API_KEY']];
  expect(await shown({ fileProviders, env })).toEqual(counts);
});

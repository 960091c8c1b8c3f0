import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { once } from 'node:events';
import type { AgentConfiguration, Owner } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keysSeen, unusedUrl, OWNER as me, useModelsScene } from './test-fixtures/models-scene.ts';

const other: Owner = { ownerId: 'other' };
const { scene, models, server } = useModelsScene();

describe('the list of models', () => {
  it('contains only the demo if nothing is configured or detected', async () => {
    const all = await models();
    expect(await all.list(me)).toMatchObject({
      models: [
        { providerId: 'demo', modelId: 'demo' },
        { providerId: 'demo', modelId: 'demo-text' },
      ],
      failures: [],
      defaultModel: { providerId: 'demo', modelId: 'demo' },
    });
    expect(await all.providers(me)).toMatchObject([{ id: 'demo', origin: 'built-in', baseUrl: null, hasKey: false }]);
  });

  it('comes from environment, file, settings, this machine and the demo, in this order', async () => {
    const [ofEnv, ofFile, ofSettings, local] = await Promise.all([
      server([], { models: ['text-embedding-1', 'env-chat'], requireKey: 'k-env' }),
      server([], { models: [{ id: 'file-chat', max_model_len: 8192 }], requireKey: 'k-file' }),
      server([], { models: ['own-chat'] }),
      server([], { models: ['local-chat'] }),
    ]);
    const port = Number(new URL(local.url).port);
    const all = await models({
      env: { OPENAI_BASE_URL: ofEnv.url, OPENAI_API_KEY: 'k-env' },
      fileProviders: [{ id: 'work', label: 'Work', baseUrl: ofFile.url, apiKey: 'k-file', place: 'config.json:2' }],
      localPorts: [port],
    });
    await all.create(me, { label: 'My server', baseUrl: ofSettings.url });
    const { models: listed, failures, defaultModel } = await all.list(me);
    expect(failures).toEqual([]);
    const host = new URL(ofEnv.url).host.replace(':', '-');
    expect(listed.map(({ providerId, modelId }) => `${providerId} ${modelId}`)).toEqual([
      `${host} text-embedding-1`,
      `${host} env-chat`,
      'work file-chat',
      'my-server own-chat',
      `local-${port} local-chat`,
      'demo demo',
      'demo demo-text',
    ]);
    expect(listed[2]).toMatchObject({ providerLabel: 'Work', contextWindow: 8192 });
    expect(defaultModel).toEqual({ providerId: host, modelId: 'env-chat' });
    const views = await all.providers(me);
    expect(views.map(({ origin, hasKey }) => [origin, hasKey])).toEqual([
      ['environment', true],
      ['file', true],
      ['settings', false],
      ['found', false],
      ['built-in', false],
    ]);
    expect(JSON.stringify([views, listed])).not.toMatch(/k-env|k-file/);
    expect(await all.providers(other)).not.toContainEqual(expect.objectContaining({ origin: 'settings' }));
  });

  it('reports why a provider failed, and lists the others', async () => {
    const good = await server([], { models: ['m'] });
    const locked = await server([], { requireKey: 'right' });
    const all = await models();
    await all.create(me, { label: 'Good', baseUrl: good.url });
    await all.create(me, { label: 'Locked', baseUrl: locked.url, apiKey: 'wrong-key-1' });
    await all.create(me, { label: 'Gone', baseUrl: await unusedUrl() });
    const { models: listed, failures } = await all.list(me);
    expect(listed.map(({ modelId }) => modelId)).toEqual(['m', 'demo', 'demo-text']);
    expect(failures).toMatchObject([
      { providerId: 'locked', providerLabel: 'Locked', error: { code: 'invalid_key' } },
      { providerId: 'gone', error: { code: 'network' } },
    ]);
    expect(JSON.stringify(failures)).not.toContain('wrong-key-1');
  });

  it('waits for a silent provider up to a time limit', async () => {
    const silent = await server([], { models: { ...reply.json({}), ending: 'silence', writes: [] } });
    let giveUp = (): void => {};
    const all = await models({
      clock: {
        ...systemClock,
        after(ms, callback) {
          if (ms !== 5_000) return systemClock.after(ms, callback);
          giveUp = callback;
          return () => {};
        },
      },
    });
    await all.create(me, { label: 'Silent', baseUrl: silent.url });
    const listing = all.list(me);
    await eventually(() => silent.requests.length > 0);
    giveUp();
    expect((await listing).failures).toMatchObject([{ providerId: 'silent', error: { code: 'timed_out' } }]);
  });

  it('is cached for a while, and queried again on refresh or after the key changed', async () => {
    const one = await server([], { models: ['m'] });
    const all = await models();
    await all.create(me, { label: 'One', baseUrl: one.url });
    await all.list(me);
    await all.list(me);
    expect(one.requests).toHaveLength(1);
    await Promise.all([all.list(me, { refresh: true }), all.list(me, { refresh: true })]);
    expect(one.requests).toHaveLength(2);
    await all.change(me, 'one', { apiKey: 'k-new' });
    await all.list(me);
    expect(keysSeen(one)).toEqual([undefined, undefined, 'Bearer k-new']);
  });

  it('ends one aborted wait without affecting the others', async () => {
    const one = await server([], { models: ['m'] });
    const all = await models();
    await all.create(me, { label: 'One', baseUrl: one.url });
    const impatient = all.list(me, { signal: AbortSignal.abort() });
    await expect(impatient).rejects.toMatchObject({ name: 'AbortError' });
    expect((await all.list(me)).models).toHaveLength(3);
  });

  it('keeps a default model that is unreachable for a while', async () => {
    const one = await server([], { models: ['m'] });
    const all = await models();
    await all.create(me, { label: 'One', baseUrl: one.url });
    expect(await all.standard(me)).toEqual({ providerId: 'one', modelId: 'm' });
    await one.close();
    const { failures, defaultModel } = await all.list(me, { refresh: true });
    expect(failures).toHaveLength(1);
    expect(defaultModel).toEqual({ providerId: 'one', modelId: 'm' });
  });

  it('uses the default model of the file, then of the settings, while its provider exists', async () => {
    const file: AgentConfiguration = { model: { providerId: 'demo', modelId: 'demo-text' } };
    await scene.storage.settings.set(me, 'defaults', { model: { providerId: 'demo', modelId: 'demo' } }, 0);
    expect(await (await models({ fileDefaults: file })).standard(me)).toEqual(file.model);
    await scene.storage.settings.set(me, 'defaults', { model: { providerId: 'gone', modelId: 'x' } }, 0);
    expect(await (await models()).standard(me)).toEqual({ providerId: 'demo', modelId: 'demo' });
  });

  it('omits a detected server that is configured, and notifies subscribers of a new one', async () => {
    const local = await server([], { models: ['m'] });
    const port = Number(new URL(local.url).port);
    const all = await models({ localPorts: [port] });
    await eventually(() => scene.changes.length > 0);
    expect(scene.changes).toEqual([[null, 'providers']]);
    await all.create(me, { label: 'Mine', baseUrl: `http://localhost:${port}/v1` });
    expect((await all.providers(me)).map(({ id }) => id)).toEqual(['mine', 'demo']);
  });

  it('says that a detected server is loading its model, until it has', async () => {
    let isLoaded = false;
    const llama = createServer(({ url }, response) => {
      if (isLoaded && url === '/v1/chat/completions') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        return response.end('data: {"choices":[{"index":0,"delta":{"content":"Hi"}}]}\n\ndata: [DONE]\n\n');
      }
      response.writeHead(isLoaded ? 200 : 503, { 'content-type': 'application/json', server: 'llama.cpp' });
      const error = { code: 503, message: 'Loading model', type: 'unavailable_error' };
      return response.end(
        JSON.stringify(isLoaded ? { object: 'list', data: [{ id: 'm', object: 'model' }] } : { error }),
      );
    });
    await new Promise<void>((resolve) => llama.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void llama.close());
    const { port } = llama.address() as AddressInfo;
    const all = await models({ localPorts: [port] });
    expect((await all.list(me)).failures).toMatchObject([
      { providerId: `local-${port}`, error: { message: `llama.cpp on port ${port} is loading its model.` } },
    ]);
    // Nothing else is there: a chat waits for this model, and never gets the demo silently.
    expect(await all.standard(me)).toEqual({ providerId: `local-${port}`, modelId: 'default' });
    expect((await all.list(me)).defaultModel).toEqual({ providerId: `local-${port}`, modelId: 'default' });
    await eventually(() => scene.changes.length > 0);
    const before = scene.changes.length;
    const runtime = await all.open(me, await all.standard(me));
    const notices: string[] = [];
    let text = '';
    const parts = [{ type: 'text' as const, text: 'Hello' }];
    const messages = [{ id: 'q', parentId: null, createdAt: 0, role: 'user' as const, parts }];
    const how = { tools: [], toolChoice: 'auto', toolMode: 'native', parameters: {} } as const;
    for await (const batch of runtime.chat({ model: 'default', messages, ...how })) {
      for (const part of batch) {
        if (part.type === 'notice') notices.push(part.text);
        if (part.type === 'text') text += part.text;
      }
      isLoaded = notices.length > 0;
    }
    expect({ text, notices }).toEqual({
      text: 'Hi',
      notices: [expect.stringContaining('is loading its model. The request waits for it.')],
    });
    // The page learns of it although it does not ask.
    await eventually(() => scene.changes.length > before);
    expect(await all.standard(me)).toEqual({ providerId: `local-${port}`, modelId: 'm' });
    const { models: listed, failures } = await all.list(me);
    expect(failures).toEqual([]);
    expect(listed).toContainEqual(expect.objectContaining({ providerId: `local-${port}`, modelId: 'm' }));
  });

  it('knows the window and inputs of a detected model, also of one that replaced it on the same port', async () => {
    let model = { id: 'small', window: 2_048, vision: false };
    const llama = createServer(({ url }, response) => {
      response.setHeader('content-type', 'application/json');
      const list = { object: 'list', data: [{ id: model.id, object: 'model', owned_by: 'llamacpp' }] };
      const settings = { n_ctx: model.window };
      const props = { default_generation_settings: settings, modalities: { vision: model.vision, audio: false } };
      response.end(JSON.stringify(url === '/props' ? props : list));
    });
    await new Promise<void>((resolve) => llama.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void llama.close());
    const { port } = llama.address() as AddressInfo;
    const all = await models({ localPorts: [port] });
    const facts = (modelId: string) => all.abilities(me, { providerId: `local-${port}`, modelId });
    expect(await facts('small')).toEqual({ contextWindow: 2_048, inputs: ['text'] });
    model = { id: 'large', window: 32_768, vision: true };
    expect(await facts('large')).toEqual({ contextWindow: 32_768, inputs: ['text', 'image'] });
  });

  it('rejects an invalid base URL in the environment, with its place', async () => {
    await expect(models({ env: { OPENAI_BASE_URL: 'ftp://x' } })).rejects.toThrow(/OPENAI_BASE_URL/);
  });

  it('names OpenAI if only its key is set', async () => {
    const views = await (await models({ env: { OPENAI_API_KEY: 'k' } })).providers(me);
    expect(views[0]).toMatchObject({
      id: 'openai',
      label: 'OpenAI',
      baseUrl: 'https://api.openai.com/v1',
      hasKey: true,
    });
  });
});

describe('a runtime', () => {
  const request = {
    messages: [],
    tools: [],
    toolChoice: 'auto',
    toolMode: 'native',
    parameters: {},
  } as const;

  it('stays the same until base URL or key change, and sends the key', async () => {
    const one = await server(() => reply.text('Hello.'), { requireKey: 'k2' });
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: one.url, apiKey: 'k1' });
    const reference = { providerId: 'one', modelId: 'scripted' };
    const first = await all.open(me, reference);
    expect(await all.open(me, reference)).toBe(first);
    await all.change(me, 'one', { apiKey: 'k2' });
    const second = await all.open(me, reference);
    expect(second).not.toBe(first);
    const parts = [];
    for await (const batch of second.chat({ ...request, model: 'scripted' })) parts.push(...batch);
    expect(parts).toContainEqual({ type: 'text', text: expect.stringContaining('Hello') });
  });

  it('supports a server detected on this machine, also one started just now, and the demo', async () => {
    const probe = await server([]);
    const port = Number(new URL(probe.url).port);
    const all = await models({ localPorts: [port] });
    const runtime = await all.open(me, { providerId: `local-${port}`, modelId: 'scripted' });
    expect(await runtime.models()).toHaveLength(1);
    expect((await all.open(me, { providerId: 'demo', modelId: 'demo' })).provider).toBe('demo');
  });

  it('finds a detected server that answers too late for a usual scan', async () => {
    const slow = createServer((_, response) => {
      const body = JSON.stringify({ data: [{ id: 'scripted' }] });
      setTimeout(() => response.setHeader('content-type', 'application/json').end(body), 600);
    });
    await once(slow.listen(0, '127.0.0.1'), 'listening');
    try {
      const { port } = slow.address() as AddressInfo;
      const all = await models({ localPorts: [port], clock: systemClock });
      const runtime = await all.open(me, { providerId: `local-${port}`, modelId: 'scripted' });
      expect(await runtime.models()).toHaveLength(1);
    } finally {
      slow.close();
      slow.closeAllConnections();
    }
  });
});

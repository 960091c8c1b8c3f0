import { readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { AgentConfiguration, Principal } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { openStorage } from '@toolyard/storage';
import type { ModelServer } from '@toolyard/testing';
import { eventually, reply, startModelServer } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSecrets } from '../secrets/secrets.ts';
import type { ModelsScene } from './test-fixtures/models-scene.ts';
import { setModelsScene } from './test-fixtures/models-scene.ts';

const me: Principal = { ownerId: 'owner' };
const other: Principal = { ownerId: 'other' };
let scene: ModelsScene;

beforeEach(async () => {
  scene = await setModelsScene();
});
afterEach(() => scene.end());

const models: ModelsScene['models'] = (more) => scene.models(more);
const server: ModelsScene['server'] = (...how) => scene.server(...how);

const keysSeen = ({ requests }: ModelServer): (string | undefined)[] =>
  requests.map(({ headers }) => headers.authorization);

/** An address at which nothing listens any more. */
async function nobodyThere(): Promise<string> {
  const gone = await startModelServer([]);
  await gone.close();
  return gone.url;
}

/** Where requests get that nobody should make. */
async function forbiddenPlace(): Promise<{ url: string; requests: number }> {
  const place = { url: '', requests: 0 };
  const listening = createServer((_request, response) => {
    place.requests++;
    response.end('{"data":[{"id":"stolen"}]}');
  });
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
  scene.open.push({
    close: () =>
      new Promise((resolve) => {
        listening.close(resolve);
        listening.closeAllConnections();
      }),
  });
  place.url = `http://127.0.0.1:${(listening.address() as AddressInfo).port}`;
  return place;
}

describe('what models there are', () => {
  it('is the demo with nothing configured and nothing found', async () => {
    const all = await models();
    expect(await all.list(me)).toMatchObject({
      models: [
        { providerId: 'demo', modelId: 'demo' },
        { providerId: 'demo', modelId: 'demo-text' },
      ],
      failures: [],
      standard: { providerId: 'demo', modelId: 'demo' },
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
    const { models: listed, failures, standard } = await all.list(me);
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
    expect(standard).toEqual({ providerId: host, modelId: 'env-chat' });
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

  it('tells of a provider that cannot be asked why, and the others all the same', async () => {
    const good = await server([], { models: ['m'] });
    const locked = await server([], { requireKey: 'right' });
    const all = await models();
    await all.create(me, { label: 'Good', baseUrl: good.url });
    await all.create(me, { label: 'Locked', baseUrl: locked.url, apiKey: 'wrong-key-1' });
    await all.create(me, { label: 'Gone', baseUrl: await nobodyThere() });
    const { models: listed, failures } = await all.list(me);
    expect(listed.map(({ modelId }) => modelId)).toEqual(['m', 'demo', 'demo-text']);
    expect(failures).toMatchObject([
      { providerId: 'locked', providerLabel: 'Locked', error: { code: 'invalid_key' } },
      { providerId: 'gone', error: { code: 'network' } },
    ]);
    expect(JSON.stringify(failures)).not.toContain('wrong-key-1');
  });

  it('waits for a silent provider for a bounded time only', async () => {
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

  it('is remembered for a while, asked anew on refresh and when the key has changed', async () => {
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

  it('lets one who gives up go, not the others', async () => {
    const one = await server([], { models: ['m'] });
    const all = await models();
    await all.create(me, { label: 'One', baseUrl: one.url });
    const impatient = all.list(me, { signal: AbortSignal.abort() });
    await expect(impatient).rejects.toMatchObject({ name: 'AbortError' });
    expect((await all.list(me)).models).toHaveLength(3);
  });

  it('keeps a standard model that is out of reach for a while', async () => {
    const one = await server([], { models: ['m'] });
    const all = await models();
    await all.create(me, { label: 'One', baseUrl: one.url });
    expect(await all.standard(me)).toEqual({ providerId: 'one', modelId: 'm' });
    await one.close();
    const { failures, standard } = await all.list(me, { refresh: true });
    expect(failures).toHaveLength(1);
    expect(standard).toEqual({ providerId: 'one', modelId: 'm' });
  });

  it('has the standard model of the defaults, the file before the settings, while its provider is there', async () => {
    const file: AgentConfiguration = { model: { providerId: 'demo', modelId: 'demo-text' } };
    await scene.storage.settings.set(me, 'defaults', { model: { providerId: 'demo', modelId: 'demo' } }, 0);
    expect(await (await models({ fileDefaults: file })).standard(me)).toEqual(file.model);
    await scene.storage.settings.set(me, 'defaults', { model: { providerId: 'gone', modelId: 'x' } }, 0);
    expect(await (await models()).standard(me)).toEqual({ providerId: 'demo', modelId: 'demo' });
  });

  it('leaves out a found server that is configured already, and tells when another is found', async () => {
    const local = await server([], { models: ['m'] });
    const port = Number(new URL(local.url).port);
    const all = await models({ localPorts: [port] });
    await eventually(() => scene.changes.length > 0);
    expect(scene.changes).toEqual([[null, 'providers']]);
    await all.create(me, { label: 'Mine', baseUrl: `http://localhost:${port}/v1` });
    expect((await all.providers(me)).map(({ id }) => id)).toEqual(['mine', 'demo']);
  });

  it('refuses an address in the environment that is none, and says where it stands', async () => {
    await expect(models({ env: { OPENAI_BASE_URL: 'ftp://x' } })).rejects.toThrow(/OPENAI_BASE_URL/);
  });

  it('calls OpenAI by its name where only a key is given', async () => {
    const views = await (await models({ env: { OPENAI_API_KEY: 'k' } })).providers(me);
    expect(views[0]).toMatchObject({
      id: 'openai',
      label: 'OpenAI',
      baseUrl: 'https://api.openai.com/v1',
      hasKey: true,
    });
  });
});

describe('providers a person enters', () => {
  it('are there after a new start, keys encrypted and never shown', async () => {
    const one = await server([], { requireKey: 'sk-123' });
    const before = await models();
    const made = await before.create(me, { label: ' Büro GPU ', baseUrl: ` ${one.url}/ `, apiKey: ' sk-123\n' });
    expect(made).toEqual({
      id: 'buro-gpu',
      label: 'Büro GPU',
      origin: 'settings',
      baseUrl: one.url,
      hasKey: true,
      wire: 'openai-chat',
    });
    expect(scene.changes).toEqual([['owner', 'providers', 'buro-gpu']]);
    const after = await models();
    expect(await after.providers(me)).toMatchObject([made, { id: 'demo' }]);
    expect((await after.list(me)).failures).toEqual([]);
    expect(JSON.stringify([...(await scene.storage.settings.all(me))])).not.toContain('sk-123');
    scene.storage.close();
    expect(readFileSync(join(scene.folder, 'toolyard.db')).includes('sk-123')).toBe(false);
    scene.storage = await openStorage({ folder: scene.folder, clock: systemClock });
  });

  it('are changed and removed, key and all', async () => {
    const one = await server([], { models: ['m'] });
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: one.url, apiKey: 'k' });
    expect(await all.change(me, 'one', { label: 'Uno' })).toMatchObject({ label: 'Uno', hasKey: true });
    expect(await all.change(me, 'one', { apiKey: null })).toMatchObject({ hasKey: false });
    await all.change(me, 'one', { apiKey: 'k2' });
    await all.remove(me, 'one');
    expect(await scene.storage.secrets.names(me)).toEqual([]);
    await expect(all.remove(me, 'one')).rejects.toMatchObject({ code: 'not_found' });
    await expect(all.open(me, { providerId: 'one', modelId: 'm' })).rejects.toMatchObject({ code: 'model_not_found' });
    expect(await all.create(me, { id: 'one', label: 'One', baseUrl: one.url })).toMatchObject({ hasKey: false });
  });

  it('are not lost when several are entered at once', async () => {
    const all = await models();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(names.map((id) => all.create(me, { id, label: id, baseUrl: '127.0.0.1:1' })));
    expect((await all.providers(me)).map(({ id }) => id).sort()).toEqual([...names, 'demo'].sort());
  });

  it('are refused with a bad id, address or key; those of elsewhere cannot be changed', async () => {
    const all = await models({
      fileProviders: [{ id: 'work', label: 'Work', baseUrl: 'http://127.0.0.1:1', place: 'config.json:2' }],
    });
    const baseUrl = 'http://127.0.0.1:1';
    await expect(all.create(me, { id: 'a/b', label: 'x', baseUrl })).rejects.toMatchObject({ code: 'bad_request' });
    for (const id of ['work', 'demo']) {
      await expect(all.create(me, { id, label: 'x', baseUrl })).rejects.toMatchObject({ code: 'conflict' });
      await expect(all.change(me, id, { label: 'y' })).rejects.toMatchObject({ code: 'conflict' });
      await expect(all.remove(me, id)).rejects.toMatchObject({ code: 'conflict' });
    }
    for (const bad of ['', 'ftp://x', 'http://', 'http://user:pw@x/', 'nonsense with spaces']) {
      await expect(all.create(me, { label: 'x', baseUrl: bad })).rejects.toMatchObject({ code: 'bad_request' });
    }
    const twice = [1, 2].map(() => all.create(me, { id: 'twice', label: 'x', baseUrl }));
    expect((await Promise.allSettled(twice)).map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
    await all.remove(me, 'twice');
    await expect(all.create(me, { label: 'x', baseUrl, apiKey: 'a\r\nb: c' })).rejects.toMatchObject({
      code: 'bad_request',
    });
    expect((await all.providers(me)).map(({ id }) => id)).toEqual(['work', 'demo']);
  });

  it('belong to one owner', async () => {
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: '127.0.0.1:1', apiKey: 'k' });
    await expect(all.change(other, 'one', { label: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(all.remove(other, 'one')).rejects.toMatchObject({ code: 'not_found' });
    await expect(all.open(other, { providerId: 'one', modelId: 'm' })).rejects.toMatchObject({
      code: 'model_not_found',
    });
  });

  it('whose key cannot be read any more say so, and nothing else breaks', async () => {
    const baseUrl = await nobodyThere();
    await (await models()).create(me, { id: 'one', label: 'One', baseUrl, apiKey: 'k' });
    rmSync(join(scene.folder, 'secret.key'));
    scene.secrets = createSecrets({
      repository: scene.storage.secrets,
      clock: systemClock,
      folder: scene.folder,
      env: {},
      log: () => {},
    });
    const all = await models();
    expect(await all.providers(me)).toMatchObject([{ id: 'one', hasKey: true }, { id: 'demo' }]);
    const { failures } = await all.list(me);
    expect(failures).toMatchObject([{ error: { code: 'bad_config', message: /"provider:one" cannot be read/ } }]);
    expect(await all.change(me, 'one', { apiKey: 'again' })).toMatchObject({ hasKey: true });
    expect((await all.list(me)).failures).toMatchObject([{ error: { code: 'network' } }]);
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

  it('is the same one until address or key change, and calls with the key', async () => {
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

  it('of a server found on this machine, also one started only now, and of the demo', async () => {
    const probe = await server([]);
    const port = Number(new URL(probe.url).port);
    const all = await models({ localPorts: [port] });
    const runtime = await all.open(me, { providerId: `local-${port}`, modelId: 'scripted' });
    expect(await runtime.models()).toHaveLength(1);
    expect((await all.open(me, { providerId: 'demo', modelId: 'demo' })).provider).toBe('demo');
  });
});

describe('trying an address', () => {
  it('gives its models and stores nothing', async () => {
    const one = await server([], { models: ['a', 'b'], requireKey: 'k' });
    const all = await models();
    expect(await all.test(me, { baseUrl: one.origin, apiKey: 'k' })).toEqual({ ok: true, models: ['a', 'b'] });
    expect(await all.test(me, { baseUrl: one.url, apiKey: 'wrong' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_key' },
    });
    expect((await all.providers(me)).map(({ id }) => id)).toEqual(['demo']);
  });

  it.each([
    ['', 'bad_request'],
    ['file:///etc/passwd', 'bad_request'],
    ['http://user:p4ss@127.0.0.1/', 'bad_request'],
    ['http://127.0.0.1:1', 'address_refused'],
    ['http://no-such-host.invalid', 'network'],
    ['http://127.0.0.1:22', 'address_refused'],
  ])('says in plain words what is wrong with %j', async (baseUrl, code) => {
    const tried = await (await models()).test(me, { baseUrl });
    expect(tried).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(/\w+ \w+/) } });
    expect(JSON.stringify(tried)).not.toContain('p4ss');
  });

  it('at which nobody answers says so', async () => {
    const tried = await (await models()).test(me, { baseUrl: await nobodyThere() });
    expect(tried).toMatchObject({ ok: false, error: { code: 'network', message: /Nothing answers/ } });
  });

  it('of a page that is no model server says so', async () => {
    const html = { ...reply.error(200, '<!doctype html><p>Hello</p>'), headers: { 'content-type': 'text/html' } };
    const page = await server([], { models: html, otherwise: html });
    const tried = await (await models()).test(me, { baseUrl: page.origin });
    expect(tried).toMatchObject({ ok: false, error: { code: 'not_a_model_server' } });
  });

  it('uses the stored key of a provider at its own address', async () => {
    const one = await server([], { requireKey: 'k' });
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: one.url, apiKey: 'k' });
    expect(await all.test(me, { id: 'one', baseUrl: one.origin })).toMatchObject({ ok: true });
  });
});

describe('attack 9: the base_url of a model provider', () => {
  it('changed to another host does not get the stored key', async () => {
    const [home, thief] = await Promise.all([server([]), server([])]);
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' });
    await all.list(me);
    expect(await all.change(me, 'one', { baseUrl: thief.url })).toMatchObject({ hasKey: false });
    await all.list(me, { refresh: true });
    await (await all.open(me, { providerId: 'one', modelId: 'scripted' })).models();
    expect(keysSeen(home)).toEqual(['Bearer sk-stored']);
    expect(keysSeen(thief)).toEqual([undefined, undefined]);
    await all.change(me, 'one', { baseUrl: home.url });
    await all.list(me, { refresh: true });
    expect(keysSeen(home).at(-1)).toBeUndefined();
  });

  it('changed to another host gets the key that is given with it', async () => {
    const [home, next] = await Promise.all([server([]), server([])]);
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' });
    await all.change(me, 'one', { baseUrl: next.url, apiKey: 'sk-next' });
    await all.list(me);
    expect(keysSeen(next)).toEqual(['Bearer sk-next']);
  });

  it('changed to another path of the same server keeps the key', async () => {
    const home = await server([]);
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' });
    expect(await all.change(me, 'one', { baseUrl: home.origin })).toMatchObject({ hasKey: true });
  });

  it('changed behind our back, in the settings themselves, does not get the stored key', async () => {
    const [home, thief] = await Promise.all([server([]), server([])]);
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' });
    await scene.storage.settings.set(me, 'providers', [{ id: 'one', label: 'One', baseUrl: thief.url }], 0);
    await all.list(me);
    expect(keysSeen(thief)).toEqual([undefined]);
  });

  it.each(['settings', 'file'])('tried out at another host does not get the key of the provider (%s)', async (of) => {
    const [home, thief] = await Promise.all([server([]), server([])]);
    const file = { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' };
    const all = await models({ fileProviders: of === 'file' ? [{ ...file, place: 'config.json:2' }] : [] });
    if (of === 'settings') await all.create(me, file);
    await all.test(me, { id: 'one', baseUrl: thief.url });
    expect(keysSeen(thief)).toEqual([undefined]);
  });
});

describe('attack 5: a model server that redirects into this machine or the private network', () => {
  it.each(['list', 'test', 'chat'])('is not followed (%s)', async (how) => {
    const place = await forbiddenPlace();
    const redirect = { ...reply.error(307, ''), headers: { location: `${place.url}/v1/models` } };
    const evil = await server(() => redirect, { models: redirect });
    const all = await models();
    await all.create(me, { id: 'evil', label: 'Evil', baseUrl: evil.url, apiKey: 'sk-evil' });
    const refused = { code: 'address_refused', message: expect.stringContaining('reached by a redirect') };
    if (how === 'list') expect((await all.list(me)).failures).toMatchObject([{ error: refused }]);
    if (how === 'test') expect(await all.test(me, { baseUrl: evil.url })).toMatchObject({ ok: false, error: refused });
    if (how === 'chat') {
      const runtime = await all.open(me, { providerId: 'evil', modelId: 'scripted' });
      const parts = [];
      const chat = runtime.chat({
        model: 'scripted',
        messages: [],
        tools: [],
        toolChoice: 'auto',
        toolMode: 'native',
        parameters: {},
      });
      for await (const batch of chat) parts.push(...batch);
      expect(parts).toMatchObject([{ type: 'error', error: refused }]);
    }
    expect(evil.requests.length).toBeGreaterThan(0);
    expect(place.requests).toBe(0);
  });

  it('is not followed to another provider of the owner either', async () => {
    const victim = await server([], { models: ['private'] });
    const redirect = { ...reply.error(302, ''), headers: { location: `${victim.url}/models` } };
    const evil = await server([], { models: redirect });
    const all = await models();
    await all.create(me, { id: 'victim', label: 'Victim', baseUrl: victim.url, apiKey: 'sk-victim' });
    await all.create(me, { id: 'evil', label: 'Evil', baseUrl: evil.url });
    const { failures } = await all.list(me);
    expect(failures).toMatchObject([{ providerId: 'evil', error: { code: 'address_refused' } }]);
    expect(victim.requests).toHaveLength(1);
  });

  it('that was found by the scan is not followed', async () => {
    const place = await forbiddenPlace();
    const redirect = { ...reply.error(302, ''), headers: { location: place.url } };
    const local = await server([], { models: redirect });
    const all = await models({ localPorts: [Number(new URL(local.url).port)] });
    expect((await all.providers(me)).map(({ id }) => id)).toEqual(['demo']);
    expect(place.requests).toBe(0);
  });
});

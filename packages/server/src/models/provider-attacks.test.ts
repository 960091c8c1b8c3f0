import { createServer } from 'node:http';
import { listenOnLoopback, reply } from '@toolyard/testing';
import { describe, expect, it } from 'vitest';
import { keysSeen, OWNER as me, useModelsScene } from './test-fixtures/models-scene.ts';

const { scene, models, server } = useModelsScene();

/** A server that no request may reach. */
async function forbiddenPlace(): Promise<{ url: string; requests: number }> {
  const place = { url: '', requests: 0 };
  const server = createServer((_request, response) => {
    place.requests++;
    response.end('{"data":[{"id":"stolen"}]}');
  });
  const listening = await listenOnLoopback(server);
  scene.open.push(listening);
  place.url = listening.origin;
  return place;
}

describe('attack 9: the base URL of a model provider', () => {
  it('changed to another host, does not receive the stored key', async () => {
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

  it('changed to another host, receives the key entered with it', async () => {
    const [home, next] = await Promise.all([server([]), server([])]);
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' });
    await all.change(me, 'one', { baseUrl: next.url, apiKey: 'sk-next' });
    await all.list(me);
    expect(keysSeen(next)).toEqual(['Bearer sk-next']);
  });

  it('changed to another path of the same server, keeps the key', async () => {
    const home = await server([]);
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' });
    expect(await all.change(me, 'one', { baseUrl: home.origin })).toMatchObject({ hasKey: true });
  });

  it('changed directly in the stored settings, does not receive the stored key', async () => {
    const [home, thief] = await Promise.all([server([]), server([])]);
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' });
    await scene.storage.settings.set(me, 'providers', [{ id: 'one', label: 'One', baseUrl: thief.url }], 0);
    await all.list(me);
    expect(keysSeen(thief)).toEqual([undefined]);
  });

  it.each(['settings', 'file'])('tested at another host, does not receive the key of the provider (%s)', async (of) => {
    const [home, thief] = await Promise.all([server([]), server([])]);
    const file = { id: 'one', label: 'One', baseUrl: home.url, apiKey: 'sk-stored' };
    const all = await models({ fileProviders: of === 'file' ? [{ ...file, place: 'config.json:2' }] : [] });
    if (of === 'settings') await all.create(me, file);
    await all.test(me, { id: 'one', baseUrl: thief.url });
    expect(keysSeen(thief)).toEqual([undefined]);
  });
});

describe('attack 5: a redirect of a model server into this machine or the private network', () => {
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

  it('is not followed to another provider of the owner', async () => {
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

  it('is not followed from a detected server', async () => {
    const place = await forbiddenPlace();
    const redirect = { ...reply.error(302, ''), headers: { location: place.url } };
    const local = await server([], { models: redirect });
    const all = await models({ localPorts: [Number(new URL(local.url).port)] });
    expect((await all.providers(me)).map(({ id }) => id)).toEqual(['demo']);
    expect(place.requests).toBe(0);
  });
});

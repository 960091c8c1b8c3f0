import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { Owner } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import { openStorage, StorageError } from '@toolyard/storage';
import { reply } from '@toolyard/testing';
import { describe, expect, it, vi } from 'vitest';
import { createSecrets } from '../secrets/secrets.ts';
import { unusedUrl, OWNER as me, useModelsScene } from './test-fixtures/models-scene.ts';

const other: Owner = { ownerId: 'other' };
const { scene, models, server } = useModelsScene();

describe('providers added by a user', () => {
  it('are not replaced by another one while their keys are temporarily unreadable', async () => {
    const one = await server([], { requireKey: 'k', models: ['own-chat'] });
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: one.url, apiKey: 'k' });
    const away = new StorageError('unreachable', { message: 'The database cannot be reached.' });
    const once = vi.spyOn(scene.storage.secrets, 'get').mockImplementationOnce(() => {
      throw away;
    });
    await expect(all.standard(me)).rejects.toBe(away);
    expect(await all.standard(me)).toEqual({ providerId: 'one', modelId: 'own-chat' });
    once.mockImplementationOnce(() => {
      throw away;
    });
    await expect(all.abilities(me, { providerId: 'one', modelId: 'own-chat' })).rejects.toBe(away);
  });

  it('survive a restart, with keys encrypted and never shown', async () => {
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

  it('are changed and removed together with their key', async () => {
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

  it('are all stored when several are added in parallel', async () => {
    const all = await models();
    const names = ['a', 'b', 'c', 'd', 'e'];
    await Promise.all(names.map((id) => all.create(me, { id, label: id, baseUrl: '127.0.0.1:1' })));
    expect((await all.providers(me)).map(({ id }) => id).sort()).toEqual([...names, 'demo'].sort());
  });

  it('are rejected with an invalid id, base URL or key; those from other sources cannot be changed', async () => {
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

  it('are private to their owner', async () => {
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: '127.0.0.1:1', apiKey: 'k' });
    await expect(all.change(other, 'one', { label: 'x' })).rejects.toMatchObject({ code: 'not_found' });
    await expect(all.remove(other, 'one')).rejects.toMatchObject({ code: 'not_found' });
    await expect(all.open(other, { providerId: 'one', modelId: 'm' })).rejects.toMatchObject({
      code: 'model_not_found',
    });
  });

  it('report an unreadable key without affecting others', async () => {
    const baseUrl = await unusedUrl();
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

describe('testing a base URL', () => {
  it('returns its models and stores nothing', async () => {
    const one = await server([], { models: ['a', 'b'], requireKey: 'k' });
    const all = await models();
    expect(await all.test(me, { baseUrl: one.origin, apiKey: 'k' })).toEqual({ ok: true, models: ['a', 'b'] });
    expect(await all.test(me, { baseUrl: one.url, apiKey: 'wrong' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_key' },
    });
    expect((await all.providers(me)).map(({ id }) => id)).toEqual(['demo']);
  });

  it.each<[string, unknown]>([
    ['', 'bad_request'],
    ['file:///etc/passwd', 'bad_request'],
    ['http://user:p4ss@127.0.0.1/', 'bad_request'],
    ['http://127.0.0.1:1', 'address_refused'],
    // A DNS resolver may not answer within the time limit of the test.
    ['http://no-such-host.invalid', expect.stringMatching(/^(network|timed_out)$/)],
    ['http://127.0.0.1:22', 'address_refused'],
  ])('explains the error for %j', async (baseUrl, code) => {
    const tried = await (await models()).test(me, { baseUrl });
    expect(tried).toMatchObject({ ok: false, error: { code, message: expect.stringMatching(/\w+ \w+/) } });
    expect(JSON.stringify(tried)).not.toContain('p4ss');
  });

  it('reports that no server listens', async () => {
    const tried = await (await models()).test(me, { baseUrl: await unusedUrl() });
    expect(tried).toMatchObject({ ok: false, error: { code: 'network', message: /Cannot connect/ } });
  });

  it('reports a web page that is not a model server', async () => {
    const html = { ...reply.error(200, '<!doctype html><p>Hello</p>'), headers: { 'content-type': 'text/html' } };
    const page = await server([], { models: html, otherwise: html });
    const tried = await (await models()).test(me, { baseUrl: page.origin });
    expect(tried).toMatchObject({ ok: false, error: { code: 'not_a_model_server' } });
  });

  it('uses the stored key of a provider for its own origin', async () => {
    const one = await server([], { requireKey: 'k' });
    const all = await models();
    await all.create(me, { id: 'one', label: 'One', baseUrl: one.url, apiKey: 'k' });
    expect(await all.test(me, { id: 'one', baseUrl: one.origin })).toMatchObject({ ok: true });
  });
});

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { userMessage, useDocumentedServer } from './test-fixtures/documented.ts';
import { startTestServer } from './test-fixtures/test-server.ts';
import { OWNER } from './types.ts';

const { server, ask, post, patch, remove } = useDocumentedServer();

describe('runs and interrupts', () => {
  test('lists, shows and cancels runs', async () => {
    await post('/api/conversations', { id: 'c1' });
    const { run } = (await post('/api/conversations/c1/messages', userMessage('hi'))).json as { run: { id: string } };
    expect((await ask(`/api/runs/${run.id}`)).json).toMatchObject({ id: run.id, status: 'running' });
    expect((await ask('/api/runs?conversation=c1&status=running')).json).toMatchObject({ items: [{ id: run.id }] });
    expect((await ask('/api/runs?status=parked')).json).toEqual({ items: [] });
    expect((await ask('/api/runs?status=odd')).status).toBe(400);
    expect((await post(`/api/runs/${run.id}/cancel`)).json).toMatchObject({ status: 'cancelled' });
  });

  test('lists an interrupt, shows it with its conversation, and accepts one answer', async () => {
    await post('/api/conversations', { id: 'c1' });
    const { run } = (await post('/api/conversations/c1/messages', userMessage('hi'))).json as { run: { id: string } };
    server.runs.ask(run.id, 'i1');
    expect((await ask('/api/interrupts')).json).toMatchObject({ items: [{ id: 'i1', conversationId: 'c1' }] });
    expect((await ask('/api/conversations/c1')).json).toMatchObject({ interrupts: [{ id: 'i1' }] });
    const answer = { decision: 'approve', scope: 'once' };
    expect(await post('/api/interrupts/i1/answer', { answer: { decision: 'maybe' } })).toMatchObject({ status: 400 });
    expect((await post('/api/interrupts/i1/answer', { answer })).json).toMatchObject({ status: 'answered', answer });
    expect(await post('/api/interrupts/i1/answer', { answer })).toMatchObject({ status: 409 });
    expect((await ask(`/api/interrupts?status=answered&run=${run.id}`)).json).toMatchObject({ items: [{ id: 'i1' }] });
  });
});

test('agents: rejects a change based on an outdated version', async () => {
  expect(await post('/api/agents', { id: 'a1', title: 'Clerk' })).toMatchObject({ status: 201, json: { version: 1 } });
  expect((await ask('/api/agents')).json).toMatchObject({ items: [{ id: 'a1' }] });
  const changed = await patch('/api/agents/a1', { version: 1, configuration: { limits: { maxTurns: 3 } } });
  expect(changed.json).toMatchObject({ version: 2, title: 'Clerk', configuration: { limits: { maxTurns: 3 } } });
  expect(await patch('/api/agents/a1', { version: 1, title: 'Late' })).toMatchObject({ status: 409 });
  expect((await ask('/api/agents/a1')).json).toMatchObject({ title: 'Clerk' });
  expect((await remove('/api/agents/a1')).status).toBe(204);
  expect((await remove('/api/agents/a1')).status).toBe(404);
});

test('providers and models', async () => {
  const provider = { id: 'mine', label: 'Mine', baseUrl: 'http://127.0.0.1:1/v1', apiKey: 'sk-secret' };
  const made = await post('/api/providers', provider);
  expect(made).toMatchObject({ status: 201, json: { hasKey: true } });
  expect(made.text).not.toContain('sk-secret');
  expect((await patch('/api/providers/mine', { apiKey: null })).json).toMatchObject({ hasKey: false });
  expect((await ask('/api/providers')).json).toMatchObject({ items: [{ id: 'mine' }] });
  expect((await ask('/api/models')).json).toMatchObject({ models: [{ modelId: 'known' }] });
  expect((await ask('/api/models?refresh=1')).json).toMatchObject({ models: [{ modelId: 'asked-again' }] });
  expect((await post('/api/providers/test', { baseUrl: 'http://bad' })).json).toMatchObject({ ok: false });
  expect((await post('/api/providers/test', { baseUrl: 'http://good' })).json).toMatchObject({ ok: true });
  expect((await remove('/api/providers/mine')).status).toBe(204);
});

test('settings: stores what the page needs, but never keys of the server', async () => {
  await server.storage.settings.set(OWNER, 'providers', [{ id: 'mine', baseUrl: 'https://mine.example' }], 1);
  const put = (key: string, json: unknown) => ask(`/api/settings/${key}`, { method: 'PUT', json });
  expect((await put('theme', 'dark')).json).toBe('dark');
  expect((await put('defaults', { instructions: 'Be kind.' })).status).toBe(200);
  expect(await put('defaults', { instruction: 'typo' })).toMatchObject({ status: 400 });
  expect((await put('providers', [{ id: 'mine', baseUrl: 'https://evil.example' }])).status).toBe(200);
  expect(await server.storage.settings.get(OWNER, 'providers')).toEqual([
    { id: 'mine', baseUrl: 'https://mine.example' },
  ]);
  expect((await ask('/api/settings')).json).toMatchObject({ defaults: { instructions: 'Be kind.' }, theme: 'dark' });
  expect((await remove('/api/settings/theme')).status).toBe(204);
  expect((await remove('/api/settings/theme')).status).toBe(404);
  expect((await put('..%2Fx', 1)).status).toBe(400);
  expect((await put('big', 'x'.repeat(70_000))).status).toBe(413);
});

test('files are uploaded and downloaded', async () => {
  const sound = await ask('/api/files', { body: 'sound', headers: { 'content-type': 'audio/mpeg' } });
  const sha256 = createHash('sha256').update('sound').digest('hex');
  expect(sound).toMatchObject({ status: 201, json: { sha256, size: 5, mimeType: 'audio/mpeg' } });
  const fetched = await ask(`/api/files/${sha256}`);
  expect(fetched).toMatchObject({ status: 200, text: 'sound', headers: { 'content-type': 'audio/mpeg' } });
  expect(fetched.headers['cache-control']).toContain('private');
  const { etag = '' } = fetched.headers;
  expect((await ask(`/api/files/${sha256}`, { headers: { 'if-none-match': etag } })).status).toBe(304);
  expect((await ask('/api/files/..%2f..%2ftoolyard.db')).status).toBe(404);
});

test('operations', async () => {
  expect((await ask('/health')).json).toMatchObject({ status: 'ok' });
  expect((await ask('/ready')).status).toBe(200);
  expect((await ask('/props')).json).toMatchObject({ ui: true, cors_proxy_enabled: false });
  expect((await ask('/api/session')).json).toMatchObject({ ownerId: 'owner', tokenRequired: false });
});

test('is healthy but not ready until earlier runs were recovered', async () => {
  let ready = false;
  const starting = await startTestServer({ change: { ready: () => ready } });
  try {
    expect((await starting.ask('/ready')).status).toBe(503);
    expect((await starting.ask('/health')).status).toBe(200);
    ready = true;
    expect((await starting.ask('/ready')).status).toBe(200);
  } finally {
    await starting.close();
  }
});

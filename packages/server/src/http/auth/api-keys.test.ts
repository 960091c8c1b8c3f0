import { z } from 'zod';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { CreatedApiKey, KeyScope } from '@toolyard/protocol';
import { KEY_SCOPES, systemClock } from '@toolyard/protocol';
import { getScopes } from '../transport/router.ts';
import type { TestResponse, TestRequestOptions, TestServer } from '../test-fixtures/test-server.ts';
import { ANNE, as, startTestServer } from '../test-fixtures/test-server.ts';

let server: TestServer;
let later = 0;
beforeEach(async () => {
  later = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + later };
  server = await startTestServer({ security: { tokens: [ANNE] }, owner: ANNE.principal, change: { clock } });
});
afterEach(() => server.close());

async function createKey(scopes: KeyScope[], more: { expiresAt?: number } = {}): Promise<CreatedApiKey> {
  const json = { name: 'A program', scopes, ...more };
  const answer = await server.ask('/api/access/keys', { json, headers: as(ANNE) });
  expect(answer.status).toBe(201);
  return answer.json as CreatedApiKey;
}

const ask = ({ key }: CreatedApiKey, target: string, options: TestRequestOptions = {}): Promise<TestResponse> =>
  server.ask(target, { ...options, headers: { ...options.headers, ...as({ token: key }) } });

test('a key cannot use routes outside its scopes', async () => {
  const routes = server.app.routes.filter((route) => getScopes(route).length > 0);
  for (const scope of KEY_SCOPES) {
    const key = await createKey([scope]);
    for (const route of routes) {
      const { method, path } = route;
      if (getScopes(route).includes(scope)) continue;
      const target = path.replaceAll(/\{\w+\}/g, 'x');
      const options: TestRequestOptions = method === 'GET' ? {} : { method: method, json: {} };
      const answer = await ask(key, target, options);
      expect([scope, method, path, answer.status]).toEqual([scope, method, path, 403]);
    }
  }
});

test('a key with limits can use no route but those of its own runs', async () => {
  const json = { name: 'A program', scopes: ['read', 'write', 'approve', 'answer'], limits: { rate: { perDay: 5 } } };
  const { key } = (await server.ask('/api/access/keys', { json, headers: as(ANNE) })).json as CreatedApiKey;
  await server.ask('/api/conversations', { json: { id: 'x' }, headers: as(ANNE) });
  const headers = { 'content-type': 'image/png', ...as(ANNE) };
  const { sha256 } = (await server.ask('/api/files', { body: 'x', headers })).json as { sha256: string };
  const isOpen: string[] = [];
  const usable: string[] = [];
  for (const { method, path, open } of server.app.routes) {
    // A route without authentication is as open to this key; one that finds the principal itself has the same limits.
    if (open === true) {
      const target = path.replace('{sha256}', sha256).replaceAll(/\{\w+\}/g, 'x');
      const answer = (headers: object) =>
        server.ask(target, { ...(method === 'GET' ? {} : { method, json: {} }), headers: { ...headers } });
      const [withKey, without] = [await answer(as({ token: key })), await answer({})];
      if (withKey.status < 300 && without.status >= 300) isOpen.push(`${method} ${path} ${withKey.status}`);
      continue;
    }
    const target = path.replaceAll(/\{\w+\}/g, 'x');
    const options: TestRequestOptions = method === 'GET' ? {} : { method, json: {} };
    const { status } = await server.ask(target, { ...options, headers: as({ token: key }) });
    if (status !== 403 && status !== 404) usable.push(`${method} ${path} ${status}`);
  }
  expect(isOpen).toEqual([]);
  expect(usable).toEqual(['GET /api/session 200', 'GET /api/runs 200', 'POST /api/runs 400']);
});

test('of the bodies that can reference a stored file, a key with limits can send two', async () => {
  const { routes } = server.app;
  const referencing = routes.filter(({ body }) => {
    return body && JSON.stringify(z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' })).includes('"blob"');
  });
  const json = { name: 'A program', scopes: ['read', 'write', 'approve', 'answer'], limits: { rate: { perDay: 5 } } };
  const { key } = (await server.ask('/api/access/keys', { json, headers: as(ANNE) })).json as CreatedApiKey;
  const sendable: string[] = [];
  for (const { method, path } of referencing) {
    const target = path.replaceAll(/\{\w+\}/g, 'x');
    const { status } = await server.ask(target, { method, json: {}, headers: as({ token: key }) });
    if (status !== 403) sendable.push(`${method} ${path}`);
  }
  expect(sendable.toSorted()).toEqual(['POST /api/interrupts/{id}/answer', 'POST /api/runs']);
});

test('approving calls, answering interrupts and changing servers each need their scope', async () => {
  const scopes = (method: string, path: string) =>
    server.app.routes.filter((route) => route.method === method && route.path === path).flatMap(getScopes);
  expect(scopes('POST', '/api/interrupts/{id}/answer')).toEqual(['approve', 'answer']);
  for (const [method, path] of [
    ['PUT', '/api/permissions'],
    ['POST', '/api/mcp/servers/{id}/tools/call'],
    ['PUT', '/api/mcp/unsandboxed-servers'],
  ] as const) {
    expect([path, scopes(method, path)]).toEqual([path, ['approve']]);
  }
  for (const [method, path] of [
    ['POST', '/api/mcp/servers'],
    ['POST', '/api/mcp/test'],
    ['PUT', '/api/mcp/servers/{id}'],
    ['DELETE', '/api/mcp/servers/{id}'],
    ['GET', '/api/mcp/servers/{id}/approval'],
    ['POST', '/api/mcp/servers/{id}/approval'],
  ] as const) {
    expect([path, scopes(method, path)]).toEqual([path, ['servers']]);
  }
});

test('a key needs the matching scope to answer interrupts or approve calls', async () => {
  await server.ask('/api/conversations', { json: { id: 'c' }, headers: as(ANNE) });
  const parts = [{ type: 'text', text: 'Do it' }];
  const sent = await server.ask('/api/conversations/c/messages', { json: { parts }, headers: as(ANNE) });
  const run = (sent.json as { run: { id: string } }).run.id;
  server.runs.ask(run, 'approval');
  const json = { answer: { decision: 'approve', scope: 'once' } };
  const answering = await createKey(['read', 'write', 'answer']);
  expect((await ask(answering, '/api/interrupts/approval/answer', { json })).json).toMatchObject({
    status: 403,
    detail: 'This API key does not have the scope "approve".',
  });
  const many = { answers: [{ id: 'approval', ...json }] };
  expect((await ask(answering, '/api/interrupts/answers', { json: many })).json).toMatchObject({
    items: [{ id: 'approval', outcome: 'refused', error: { code: 'forbidden' } }],
  });
  const approving = await createKey(['approve']);
  expect((await ask(approving, '/api/interrupts/approval/answer', { json })).status).toBe(200);
});

test('a key without approve cannot bypass approval through mode, rules or budgets', async () => {
  await server.ask('/api/conversations', { json: { id: 'c' }, headers: as(ANNE) });
  const key = await createKey(['read', 'write', 'settings', 'answer', 'servers']);
  const auto = { intervention: 'auto' };
  const rules = { interventionRules: [{ decision: 'allow' }] };
  const parts = [{ type: 'text', text: 'Hello' }];
  for (const [method, target, json] of [
    ['POST', '/api/conversations', { configuration: auto }],
    ['POST', '/api/conversations', { configuration: rules }],
    ['POST', '/api/conversations', { configuration: { budgets: [] } }],
    ['PATCH', '/api/conversations/c', { configuration: {} }],
    ['POST', '/api/conversations/c/messages', { parts, configuration: auto }],
    ['POST', '/api/runs', { parts, configuration: auto }],
    ['POST', '/api/agents', { title: 'A', configuration: auto }],
    ['PUT', '/api/settings/defaults', auto],
    ['PUT', '/api/settings/defaults', {}],
    ['DELETE', '/api/settings/defaults', {}],
  ] as const) {
    const answer = await ask(key, target, { method, json });
    expect([target, json, answer.status]).toEqual([target, json, 403]);
  }
  expect((await ask(key, '/api/conversations', { json: { configuration: { instructions: 'x' } } })).status).toBe(201);
});

test('a key is shown once, stored as a hash, and cannot create other keys', async () => {
  const key = await createKey([...KEY_SCOPES]);
  expect(key.key).toMatch(/^tyk_[\w-]{43}$/);
  const { text } = await server.ask('/api/access/keys', { headers: as(ANNE) });
  expect(text).toContain(key.start);
  expect(text).not.toContain(key.key);
  for (const target of ['/api/access/keys', '/api/access/sessions']) {
    expect((await ask(key, target)).status).toBe(403);
  }
  expect((await ask(key, '/api/access/keys', { json: { name: 'Another' } })).status).toBe(403);
  expect((await ask(key, '/api/access/links', { method: 'POST', json: {} })).status).toBe(403);
  const unknown = { name: 'A', scopes: ['access'] };
  expect((await server.ask('/api/access/keys', { json: unknown, headers: as(ANNE) })).json).toMatchObject({
    status: 400,
    detail: expect.stringContaining('scopes') as string,
  });
});

test('a key is invalid after it expires or is revoked', async () => {
  const short = await createKey(['read'], { expiresAt: systemClock.now() + 60_000 });
  const long = await createKey(['read']);
  expect((await ask(short, '/api/conversations')).status).toBe(200);
  later = 60_001;
  expect((await ask(short, '/api/conversations')).status).toBe(401);
  expect((await ask(long, '/api/conversations')).status).toBe(200);
  const revoked = await server.ask(`/api/access/keys/${long.id}`, { method: 'DELETE', headers: as(ANNE) });
  expect(revoked.status).toBe(204);
  expect((await ask(long, '/api/conversations')).status).toBe(401);
});

test('a signed URL is valid for one file and owner, for less than an hour', async () => {
  const upload = (body: string) =>
    server.ask('/api/files', { body, headers: { ...as(ANNE), 'content-type': 'image/png' } });
  const [one, two] = [await upload('one'), await upload('two')].map(({ json }) => (json as { sha256: string }).sha256);
  const json = { files: [one] };
  const links = await server.ask('/api/files/links', { json, headers: as(ANNE) });
  const url = (links.json as { urls: Record<string, string> }).urls[one ?? ''] ?? expect.fail('no URL');
  expect((await server.ask(`/api/files/${one ?? ''}`)).status).toBe(401);
  expect((await server.ask(url)).text).toBe('one');
  for (const forged of [
    url.replace(one ?? '', two ?? ''),
    url.replace('owner=anne', 'owner=bert'),
    url.replace(/expires=\d/, 'expires=9'),
    url.replace(/signature=./, 'signature='),
    url.replace(/&signature=.*/, ''),
  ]) {
    expect([forged, (await server.ask(forged)).status]).toEqual([forged, 401]);
  }
  later = 3_600_000;
  expect((await server.ask(url)).json).toMatchObject({
    detail: 'The signed URL of this file has expired or is invalid.',
  });
});

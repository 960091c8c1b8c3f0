import type { JsonObject } from '@toolyard/protocol';
import { deprecatedRoutes, providerPresetPage } from '@toolyard/protocol/schemas';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { formerFieldsAdder } from './deprecated.ts';
import type { TestServer } from './test-fixtures/test-server.ts';
import { ANNE, as, startTestServer } from './test-fixtures/test-server.ts';

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ security: { tokens: [ANNE] }, owner: ANNE.principal });
});
afterEach(() => server.close());

const headers = as(ANNE);
const complete = (json: JsonObject) =>
  server.ask('/api/mcp/servers/files/complete', {
    headers,
    json: { target: { prompt: 'p' }, argument: { name: 'x', value: 'tide' }, ...json },
  });

test('a renamed route works at its old path and names its successor', async () => {
  const body = { uri: 'files://a' };
  const old = await server.ask('/api/mcp/servers/fi%20les/read', { headers, json: body });
  const current = await server.ask('/api/mcp/servers/fi%20les/resources/read', { headers, json: body });
  expect(old.json).toEqual(current.json);
  expect(old.status).toBe(current.status);
  expect(old.headers['deprecation']).toBe('@1795392000');
  expect(old.headers['link']).toBe('</api/mcp/servers/fi%20les/resources/read>; rel="successor-version"');
  expect(current.headers['deprecation']).toBeUndefined();
  expect(current.headers['link']).toBeUndefined();
});

test('an old path requires the same credential and method, and its errors have the header too', async () => {
  const refused = await server.ask('/api/mcp/unsandboxed');
  expect(refused.status).toBe(401);
  expect(refused.headers['deprecation']).toBe('@1795392000');
  const wrong = await server.ask('/api/mcp/unsandboxed', { method: 'DELETE', headers });
  expect(wrong.status).toBe(405);
  expect(wrong.headers['allow']).toBe('GET, PUT, HEAD');
});

test('a request may use the old name of a field, but not both names', async () => {
  const old = await complete({ others: { y: '1' } });
  expect(old.status).toBe(200);
  expect(old.headers['deprecation']).toBe('@1795392000');
  const current = await complete({ filledArguments: { y: '1' } });
  expect(current.json).toEqual(old.json);
  expect(current.headers['deprecation']).toBeUndefined();
  expect((await complete({ others: { y: '1' }, filledArguments: { y: '1' } })).status).toBe(400);
  expect((await complete({ others: { y: 1 } })).status).toBe(400);
});

test('responses contain renamed fields under both names', async () => {
  expect((await server.ask('/api/models', { headers })).json).toMatchObject({ defaultModel: null, standard: null });
  await server.ask('/api/webhook', {
    method: 'PUT',
    headers,
    json: { url: 'https://example.com/', events: ['run.failed'] },
  });
  expect((await server.ask('/api/webhook', { headers })).json).toMatchObject({
    webhook: { pendingDeliveries: 0, waiting: 0 },
  });
});

test('items of a page contain renamed fields under both names', () => {
  const add = formerFieldsAdder(providerPresetPage);
  const item = { id: 'p', apiKeyUrl: null, requiresModelNames: true };
  expect(add({ items: [item] })).toEqual({ items: [{ ...item, keyPage: null, wantsModelNames: true }] });
});

test('the OpenAPI document marks old paths and old fields as deprecated', async () => {
  const { json } = await server.ask('/api/openapi.json', { headers });
  const document = json as unknown as {
    paths: Record<string, Record<string, { deprecated?: boolean }>>;
    components: {
      schemas: Record<string, { properties: Record<string, { deprecated?: boolean }>; required: string[] }>;
    };
  };
  const marked = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation.deprecated === true)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  expect(marked.toSorted()).toEqual(Object.keys(deprecatedRoutes).toSorted());
  const { ModelsView } = document.components.schemas;
  expect(ModelsView?.properties['standard']?.deprecated).toBe(true);
  expect(ModelsView?.properties['defaultModel']?.deprecated).toBeUndefined();
  expect(ModelsView?.required).not.toContain('standard');
});

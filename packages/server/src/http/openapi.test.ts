import { gunzipSync } from 'node:zlib';
import { isJsonObject } from '@toolyard/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { honoPath } from './transport/router.ts';
import type { TestServer } from './test-fixtures/test-server.ts';
import { startTestServer } from './test-fixtures/test-server.ts';

type Operation = {
  operationId: string;
  responses: Record<string, unknown>;
  parameters?: { name: string; in: string }[];
};
type Document = {
  openapi: string;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, unknown> };
};

let server: TestServer;
let document: Document;
beforeEach(async () => {
  server = await startTestServer();
  document = (await server.ask('/api/openapi.json')).json as unknown as Document;
});
afterEach(() => server.close());

test('every route with a handler is described, and every description has a handler', () => {
  const handled = server.app.handlers
    .filter(({ method }) => method !== 'ALL')
    .map(({ method, path }) => `${method} ${path}`);
  const described = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.keys(operations).map((method) => `${method.toUpperCase()} ${honoPath(path)}`),
  );
  expect(described.toSorted()).toEqual(handled.toSorted());
});

test('every reference resolves, and names are unique', () => {
  expect(document.openapi).toBe('3.1.0');
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map(
    ([, reference]) => reference ?? '',
  );
  expect(references.length).toBeGreaterThan(50);
  for (const reference of new Set(references)) {
    expect(reference).toMatch(/^#\/components\/schemas\/\w+$/);
    expect(Object.keys(document.components.schemas)).toContain(reference.replace(/^.*\//, ''));
  }
  const operations = Object.values(document.paths).flatMap((each) => Object.values(each));
  const ids = operations.map(({ operationId }) => operationId);
  expect(new Set(ids).size).toBe(ids.length);
});

test('each operation has its path, a success and its errors', () => {
  for (const [path, operations] of Object.entries(document.paths)) {
    const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    for (const { parameters = [], responses } of Object.values(operations)) {
      expect(parameters.filter((each) => each.in === 'path').map(({ name }) => name)).toEqual(names);
      expect(Object.keys(responses)).toContain('default');
      expect(Object.keys(responses).some((status) => status.startsWith('2'))).toBe(true);
    }
  }
});

test('generated types compile: no schema is a union with arrays of itself', () => {
  for (const [name, schema] of Object.entries(document.components.schemas)) {
    const itself = `{"items":{"$ref":"#/components/schemas/${name}"}`;
    const { anyOf = [] } = schema as { anyOf?: unknown[] };
    expect([name, anyOf.filter((each) => JSON.stringify(each).includes(itself.slice(1, -1)))]).toEqual([name, []]);
  }
});

test('every response has its media types', () => {
  expect(document).toMatchObject({ info: { license: { identifier: 'MIT' } }, servers: [{ url: '/' }] });
  const listTypes = (path: string, method: string, status = '200'): string[] => {
    const response = document.paths[path]?.[method]?.responses[status] as { content?: object } | undefined;
    return Object.keys(response?.content ?? {});
  };
  expect(listTypes('/api/runs', 'post')).toEqual(['text/event-stream']);
  expect(listTypes('/api/runs', 'post', '201')).toEqual(['application/json']);
  expect(listTypes('/api/usage', 'get')).toEqual(['application/json', 'text/csv']);
  expect(listTypes('/api/runs/{id}/export', 'get')).toEqual(['application/json', 'text/markdown']);
  expect(listTypes('/api/conversations/{id}/export', 'get')).toEqual(['application/json', 'text/markdown']);
  expect(listTypes('/api/mcp/sign-in/callback', 'get')).toEqual(['text/html']);
});

test('optional properties are marked', () => {
  const { schemas } = document.components;
  expect(schemas['CreateConversation']).not.toHaveProperty('required');
  expect(schemas['SendMessage']).toMatchObject({ required: ['parts'], additionalProperties: false });
  expect(isJsonObject(schemas['JsonValue'])).toBe(true);
});

test('a long response is compressed if the client accepts it, a short one is not', async () => {
  const headers = { 'accept-encoding': 'gzip' };
  const long = await server.ask('/api/openapi.json', { headers });
  expect(long.headers).toMatchObject({ 'content-encoding': 'gzip', vary: 'accept-encoding' });
  expect(JSON.parse(gunzipSync(long.bytes).toString())).toEqual(document);
  expect((await server.ask('/health', { headers })).headers['content-encoding']).toBeUndefined();
  expect((await server.ask('/api/openapi.json', { headers: { 'accept-encoding': 'br' } })).headers).toMatchObject({
    'content-encoding': 'br',
  });
});

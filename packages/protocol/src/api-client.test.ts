import { expect, test } from 'vitest';
import type { ApiClient } from './api-client.ts';
import { createApiClient } from './api-client.ts';

const sent: object[] = [];
const transport = (answer: string) => ({
  send: (path: string, init: object) => {
    sent.push({ path, ...init });
    return Promise.resolve(answer);
  },
  createUnreadableError: (path: string) => new Error(`not JSON: ${path}`),
});

test('encodes path parameters and query, omits undefined values', async () => {
  const api = createApiClient(transport('{"items":[]}'));
  await api.get('/api/runs/{id}/steps', { params: { id: 'a/b?c' } });
  await api.get('/api/conversations', { query: { q: 'a & b', limit: 3 } });
  await api.delete('/api/agents/{id}', { params: { id: 'ä' } });
  expect(sent).toMatchObject([
    { path: '/api/runs/a%2Fb%3Fc/steps', method: 'GET' },
    { path: '/api/conversations?q=a+%26+b&limit=3', method: 'GET' },
    { path: '/api/agents/%C3%A4', method: 'DELETE' },
  ]);
});

test('uploads a file with its own content type', async () => {
  const file = new Blob(['a'], { type: 'image/png' });
  await createApiClient(transport('{}')).upload('/api/files', file);
  expect(sent.at(-1)).toMatchObject({ method: 'POST', headers: { 'content-type': 'image/png' }, body: file });
});

test('throws the error of the transport if the response is not JSON', async () => {
  await expect(createApiClient(transport('<html>')).get('/api/models')).rejects.toThrow('not JSON: /api/models');
});

test('rejects a wrong path, a missing field and a wrong response type at compile time', () => {
  const check = async (api: ApiClient): Promise<void> => {
    // @ts-expect-error there is no such route
    await api.get('/api/agent/{id}', { params: { id: 'a' } });
    // @ts-expect-error a parameter of the path is missing
    await api.get('/api/agents/{id}');
    // @ts-expect-error a field of the body is missing
    await api.post('/api/agents', { body: {} });
    // @ts-expect-error the query has no such name
    await api.get('/api/models', { query: { fresh: true } });
    // @ts-expect-error the answer has no such type
    const agent: number = (await api.get('/api/agents/{id}', { params: { id: 'a' } })).title;
    // @ts-expect-error not a route that takes a file
    await api.upload('/api/agents', new Blob());
    // @ts-expect-error a stream is not JSON
    await api.get('/api/events');
    const title: string = (await api.get('/api/agents/{id}', { params: { id: 'a' } })).title;
    expect([agent, title]).toBeDefined();
  };
  expect(check).toBeTypeOf('function');
});

import { afterEach, describe, expect, test } from 'vitest';
import type { McpBehaviour } from './behaviour.ts';
import { startScriptedMcp, type ScriptedMcp } from './http.ts';

let server: ScriptedMcp | undefined;
afterEach(() => server?.close());

async function serve(behaviour: McpBehaviour): Promise<ScriptedMcp> {
  server = await startScriptedMcp(behaviour, { sessions: false });
  return server;
}

function post(url: string, method: string): Promise<Response> {
  return fetch(url, { method: 'POST', body: JSON.stringify({ jsonrpc: '2.0', id: 1, method }) });
}

describe('a raw HTTP response', () => {
  test('is sent for its method with status, headers and body, and for no other', async () => {
    const busy = { status: 503, headers: { 'retry-after': '7' }, body: 'later' };
    const { url, received } = await serve({ httpAnswers: { 'tools/list': busy } });
    const refused = await post(url, 'tools/list');
    expect([refused.status, refused.headers.get('retry-after'), await refused.text()]).toEqual([503, '7', 'later']);
    expect((await post(url, 'ping')).status).toBe(200);
    expect(received.map(({ method }) => method)).toEqual(['tools/list', 'ping']);
  });

  test('is sent for every request', async () => {
    const { url } = await serve({ httpAnswers: { '*': { status: 418 } } });
    const responses = [post(url, 'ping'), fetch(url), fetch(url, { method: 'DELETE' }), fetch(new URL('/', url))];
    expect((await Promise.all(responses)).map(({ status }) => status)).toEqual([418, 418, 418, 418]);
  });

  test('may be a dropped connection', async () => {
    const { url } = await serve({ httpAnswers: { ping: 'cut' } });
    await expect(post(url, 'ping')).rejects.toThrow();
    expect((await post(url, 'tools/list')).status).toBe(200);
  });
});

test('every HTTP request is recorded with its headers', async () => {
  const { url, requests } = await serve({});
  await fetch(url, { headers: { 'x-api-key': 'mine' } });
  await post(url, 'ping');
  expect(requests.map(({ method, headers }) => [method, headers['x-api-key']])).toEqual([
    ['GET', 'mine'],
    ['POST', undefined],
  ]);
});

test('an unknown session cannot be ended', async () => {
  server = await startScriptedMcp();
  const opened = await post(server.url, 'initialize');
  const headers = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
  const end = async (): Promise<number> => (await fetch(server?.url ?? '', { method: 'DELETE', headers })).status;
  expect([await end(), await end()]).toEqual([200, 404]);
});

import type { PreflightView } from '@toolyard/protocol';
import type { Cors, ScriptedMcp } from '@toolyard/testing';
import { startScriptedMcp } from '@toolyard/testing';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startProxyTarget } from '../test-fixtures/proxy-target.ts';
import type { TestServer } from '../test-fixtures/test-server.ts';
import { startTestServer } from '../test-fixtures/test-server.ts';

let server: TestServer;
let peer: ScriptedMcp | undefined;
beforeEach(async () => {
  server = await startTestServer();
});
afterEach(async () => {
  await server.close();
  await peer?.close();
});

async function check(cors: Cors | undefined, headers: string[] = []): Promise<PreflightView> {
  peer = await startScriptedMcp('plain', cors === undefined ? {} : { cors });
  return ask(peer.url, headers);
}

async function ask(url: string, headers: string[] = []): Promise<PreflightView> {
  const answer = await server.ask('/api/mcp/preflight', { json: { url, headers }, headers: { origin: server.url } });
  expect(answer.status).toBe(200);
  return answer.json as unknown as PreflightView;
}

test('returns no obstacle for a server that allows browsers, and leaves no session open', async () => {
  expect(await check({})).toEqual({ ok: true, problems: [] });
  expect(peer?.sessionCount).toBe(0);
  expect(peer?.requests[0]).toMatchObject({
    method: 'OPTIONS',
    headers: { origin: server.url, 'access-control-request-method': 'POST' },
  });
});

test.each<[string, Cors | undefined, string[], RegExp]>([
  ['Access-Control-Allow-Origin', { allowOrigin: '' }, [], /does not send Access-Control-Allow-Origin/],
  ['Access-Control-Allow-Origin', { allowOrigin: 'https://other.example' }, [], /sends .*other\.example/],
  ['Access-Control-Allow-Headers', { allowHeaders: 'content-type, mcp-session-id' }, [], /mcp-protocol-version/],
  ['Access-Control-Allow-Headers', { allowHeaders: '*' }, ['Authorization'], /authorization/],
  ['Access-Control-Allow-Methods', { allowMethods: 'POST' }, [], /DELETE/],
  ['Access-Control-Expose-Headers', { exposeHeaders: '' }, [], /Mcp-Session-Id/],
  ['Access-Control-Allow-Origin', undefined, [], /does not send Access-Control-Allow-Origin/],
])('names the missing %s (%#)', async (header, cors, headers, message) => {
  const { ok, problems } = await check(cors, headers);
  expect(ok).toBe(false);
  expect(problems.find((one) => one.header === header)?.message).toMatch(message);
});

test('reports the status of a server that rejects the preflight', async () => {
  const { problems } = await check({ preflightStatus: 405 });
  expect(problems).toContainEqual({ header: null, message: expect.stringContaining('with 405') as string });
});

test('reports a redirect without following it', async () => {
  await using other = await startProxyTarget();
  await using first = await startProxyTarget((_request, response) =>
    response.writeHead(308, { location: other.origin }).end(),
  );
  const { problems } = await ask(first.origin);
  expect(problems[0]?.message).toContain('redirect (308)');
  expect(other.seen).toEqual([]);
});

test('reports an unreachable server', async () => {
  const gone = await startProxyTarget();
  await gone[Symbol.asyncDispose]();
  expect(await ask(gone.origin)).toMatchObject({
    ok: false,
    problems: [{ header: null, message: expect.stringContaining('not reachable') as string }],
  });
});

test('rejects an invalid URL', async () => {
  const json = { url: 'file:///etc/passwd' };
  expect((await server.ask('/api/mcp/preflight', { json })).status).toBe(400);
});

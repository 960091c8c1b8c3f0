// Servers behind third-party bridges, and servers with a UI resource.
import type { McpHost, ServerConfig } from '@toolyard/mcp-host';
import { eventually, isAlive, ownPort, listProcessTree } from '@toolyard/testing';
import { afterEach, expect, test } from 'vitest';
import { getHealth, connectHost, connectModern } from './connect-host.ts';
import type { Running } from './peer-commands.ts';
import { expectPage } from './page-servers.ts';
import { overStdio, getProgram, startOnPort } from './peer-commands.ts';

const EVERYTHING = '@modelcontextprotocol/server-everything';

let host: McpHost | undefined;
let running: Running | undefined;
afterEach(async () => {
  await host?.close();
  await running?.stop();
  host = undefined;
  running = undefined;
});

const echo = (met: McpHost, serverId: string): ReturnType<McpHost['callTool']> =>
  met.callTool({ serverId, name: 'echo' }, { message: 'hi' });

const HI = { isError: false, outcome: 'done', content: [{ type: 'text', text: 'Echo: hi' }] };

test('mcp-proxy is used in the newer protocol, with everything behind it', async () => {
  const port = await ownPort();
  const args = ['--port', String(port), '--host', '127.0.0.1', '--', process.execPath, getProgram(EVERYTHING)];
  running = await startOnPort([getProgram('mcp-proxy'), ...args], port);
  host = await connectModern({ id: 'proxied', transport: { type: 'http', url: `http://127.0.0.1:${port}/mcp` } });
  expect(getHealth(host, 'proxied')).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28', skipped: [] });
  expect(await echo(host, 'proxied')).toMatchObject(HI);
  const image = await host.callTool({ serverId: 'proxied', name: 'get-tiny-image' }, {});
  expect(image.content.some(({ type }) => type === 'image')).toBe(true);
  expect(
    await host.callTool({ serverId: 'proxied', name: 'get-structured-content' }, { location: 'Chicago' }),
  ).toMatchObject({
    structured: { temperature: expect.any(Number) as number },
  });
  const { prompts, failures } = await host.getAllPrompts();
  expect(failures).toEqual([]);
  expect(prompts.map(({ name }) => name)).toContain('args-prompt');
  const { resources } = host;
  await eventually(() => resources.resources('proxied').length > 0);
  const [first] = resources.resources('proxied');
  expect(await resources.read('proxied', first?.uri ?? '')).toMatchObject([{ mimeType: 'text/markdown' }]);
  expect(await host.callTool({ serverId: 'proxied', name: 'echo' }, { message: 7 })).toMatchObject({ isError: true });
});

test('a WebSocket server behind a bridge that drops string IDs', async () => {
  const port = await ownPort();
  const command = [process.execPath, getProgram(EVERYTHING)].map((part) => JSON.stringify(part)).join(' ');
  const args = ['--stdio', command, '--outputTransport', 'ws', '--port', String(port), '--messagePath', '/message'];
  running = await startOnPort([getProgram('supergateway'), ...args], port);
  const config: ServerConfig = { id: 'ws', transport: { type: 'websocket', url: `ws://127.0.0.1:${port}/message` } };
  host = await connectHost([config]);
  expect(getHealth(host, 'ws')).toMatchObject({ era: 'legacy', skipped: [] });
  // Otherwise the probe for the newer protocol would have timed out.
  expect(host.wireLog('ws').filter(({ text }) => text.includes('"id":null'))).toEqual([]);
  expect(await echo(host, 'ws')).toMatchObject(HI);
  const seen: unknown[] = [];
  const slow = { duration: 0.3, steps: 3 };
  await host.callTool({ serverId: 'ws', name: 'trigger-long-running-operation' }, slow, {
    onProgress: (progress) => seen.push(progress),
  });
  expect(seen.length).toBeGreaterThan(0);
});

// Another one: `bridges.long.test.ts`.
test('a server with a UI resource, over stdio and HTTP: calls its tool and reads its UI resource', async () => {
  await expectPage('@modelcontextprotocol/server-basic-vanillajs', 'get-time', 'ui://get-time/mcp-app.html');
});

test('closing leaves no process of a server or its children', async () => {
  // The worker of this test may have other processes, such as PostgreSQL.
  const before = new Set(listProcessTree(process.pid));
  host = await connectHost([{ id: 'everything', transport: overStdio(EVERYTHING) }]);
  const ofServer = listProcessTree(process.pid).filter((pid) => !before.has(pid));
  expect(ofServer).not.toEqual([]);
  await host.close();
  expect(ofServer.filter((pid) => isAlive(pid))).toEqual([]);
});

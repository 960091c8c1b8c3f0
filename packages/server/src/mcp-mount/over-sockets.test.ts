import type { Server } from 'node:http';
import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import type { EraMemory } from '@toolyard/mcp-host';
import { createWebTransports, McpHost } from '@toolyard/mcp-host';
import { systemClock } from '@toolyard/protocol';
import { eventually, listenOnLoopback } from '@toolyard/testing';
import { Hono } from 'hono';
import { expect, onTestFinished, test } from 'vitest';
import { createMcpMount } from './create-mcp-mount.ts';
import { exampleServer } from './test-fixtures/ask.ts';

async function listening(server: Server): Promise<string> {
  const { origin, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return `${origin}/mcp`;
}

const legacyOnly: EraMemory = {
  get: () => ({ era: 'legacy', at: systemClock.now() }),
  set: () => undefined,
  delete: () => undefined,
};

test.each(['modern', 'legacy'] as const)('a %s host works with a mount in Hono and in plain Node', async (era) => {
  const mount = createMcpMount({ createServer: exampleServer });
  const app = new Hono().all('/mcp', (context) => mount.fetch(context.req.raw));
  const options = { overrideGlobalObjects: false };
  const inHono = getRequestListener(app.fetch, options);
  const plain = getRequestListener((request) => mount.fetch(request), options);
  const urls = [
    await listening(createServer((incoming, outgoing) => void inHono(incoming, outgoing))),
    await listening(createServer((incoming, outgoing) => void plain(incoming, outgoing))),
  ];
  await using host = new McpHost({
    servers: urls.map((url, at) => ({ id: `server-${at}`, transport: { type: 'http' as const, url } })),
    createTransport: createWebTransports({ fetch }),
    clock: systemClock,
    clientInfo: { name: 'test', version: '1.0.0' },
    ...(era === 'legacy' ? { eraMemory: legacyOnly } : {}),
  });
  await host.connectAll();
  for (const { id, era: hostEra } of host.health()) {
    expect(hostEra).toBe(era);
    const result = await host.callTool({ serverId: id, name: 'hello' }, {});
    expect(result.content).toEqual([{ type: 'text', text: `hello, ${era}` }]);
  }
  expect(mount.sessionCount).toBe(era === 'legacy' ? 2 : 0);
  await host.close();
  await eventually(() => expect(mount.sessionCount).toBe(0));
  await mount.close();
});

import { createServer } from 'node:http';
import { getRequestListener } from '@hono/node-server';
import { McpHost } from '@toolyard/mcp-host';
import { systemClock } from '@toolyard/protocol';
import { listenOnLoopback } from '@toolyard/testing';
import { expect, onTestFinished, test } from 'vitest';
import { NO_USER_HANDLERS } from '../mcp/no-user-handlers.ts';
import type { Relays } from './relays.ts';
import type { Servers } from '../mcp/operations.ts';
import { createInternalClient, MCP_OPERATION_PATH } from './internal-client.ts';
import { createInternalApi } from './internal-api.ts';
import { createRelayTransports } from './relay-transport.ts';

async function startServer(...tokens: string[]): Promise<string> {
  const answer = getRequestListener(
    createInternalApi({ servers: {} as Servers, relays: {} as Relays, tokens, log: () => undefined }),
    { overrideGlobalObjects: false },
  );
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  const { origin, close } = await listenOnLoopback(server);
  onTestFinished(close);
  return origin;
}

test('a process with a different secret gets an error that says so, for every request', async () => {
  const address = await startServer('of one secret');
  const fetches = { for: () => fetch, use: () => undefined } as never;
  const client = createInternalClient(fetches, () => 'of another');
  await expect(client.post(address, MCP_OPERATION_PATH, {})).rejects.toMatchObject({
    code: 'bad_config',
    message: expect.stringContaining('TOOLYARD_SECRET') as string,
  });

  const row = { serverId: 'lab', holder: { id: 'there', address }, version: 1, catalogue: null };
  const host = new McpHost({
    servers: [{ id: 'lab', transport: { type: 'stdio', command: 'never-started-here', args: [] } }],
    createTransport: createRelayTransports(() => Promise.reject(new Error('not here')), {
      heartbeat: { servers: () => Promise.resolve([row]) },
      client,
      clock: { ...systemClock, monotonic: skipping() },
      onFound: () => undefined,
    }),
    clock: systemClock,
    clientInfo: { name: 'test', version: '1.0.0' },
    handlers: NO_USER_HANDLERS,
  });
  onTestFinished(() => host.close());
  await host.connectAll();
  expect(host.health()).toMatchObject([
    { state: 'failed', error: { message: expect.stringContaining('TOOLYARD_SECRET') as string } },
  ]);
});

/** A clock on which every wait ends at once. */
function skipping(): () => number {
  let now = 0;
  return () => (now += 60_000);
}

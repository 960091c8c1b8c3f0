import { McpHost } from '@toolyard/mcp-host';
import { createFakeClock, eventually } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { NO_USER_HANDLERS } from '../mcp/no-user-handlers.ts';
import { createRelayTransports } from './relay-transport.ts';

test('a process that shuts down does not wait for a host of the server', async () => {
  const clock = createFakeClock();
  let looks = 0;
  const host = new McpHost({
    servers: [{ id: 'lab', transport: { type: 'stdio', command: 'never-started-here', args: [] } }],
    createTransport: createRelayTransports(() => Promise.reject(new Error('not here')), {
      heartbeat: {
        servers: async () => {
          looks++;
          return [];
        },
      },
      client: {
        fetch: () => Promise.reject(new Error('not asked')),
        post: () => Promise.reject(new Error('not asked')),
      },
      clock,
      onFound: () => undefined,
    }),
    clock,
    clientInfo: { name: 'test', version: '1.0.0' },
    handlers: NO_USER_HANDLERS,
  });
  const connecting = host.connectAll();
  await eventually(() => looks === 1);
  let isClosed = false;
  const closed = host.close().then(() => (isClosed = true));
  await clock.advance(250);
  await eventually(() => isClosed);
  await Promise.all([closed, connecting]);
  expect(looks).toBe(1);
});

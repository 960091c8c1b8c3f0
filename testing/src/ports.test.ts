import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { ownPort } from './ports.ts';

test('returns a free port, another one each time, outside the ephemeral range', async () => {
  const ports = [await ownPort(), await ownPort(), await ownPort()];
  expect(new Set(ports).size).toBe(3);
  for (const port of ports) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(port).toBeLessThan(32_768);
    server.close();
  }
});

test('skips a port in use', async () => {
  const usedPort = (await ownPort()) + 1;
  const server = createServer().listen(usedPort, '127.0.0.1');
  // If another test uses it already, it counts as in use too.
  const isOurs = await once(server, 'listening').catch(() => null);
  expect(await ownPort()).not.toBe(usedPort);
  if (isOurs !== null) server.close();
});

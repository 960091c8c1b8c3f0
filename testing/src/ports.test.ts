import { createServer } from 'node:http';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { ownPort } from './ports.ts';

test('a port of its own is free, is another one each time, and none a system gives away', async () => {
  const ports = [await ownPort(), await ownPort(), await ownPort()];
  expect(new Set(ports).size).toBe(3);
  for (const port of ports) {
    const server = createServer().listen(port, '127.0.0.1');
    await once(server, 'listening');
    expect(port).toBeLessThan(32_768);
    server.close();
  }
});

test('one that is taken is passed over', async () => {
  // The one behind it may be somebody else's already.
  const { server, taken } = await eventually(async () => {
    const taken = (await ownPort()) + 1;
    const server = createServer().listen(taken, '127.0.0.1');
    await once(server, 'listening');
    return { server, taken };
  });
  expect(await ownPort()).not.toBe(taken);
  server.close();
});

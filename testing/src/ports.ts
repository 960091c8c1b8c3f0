import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below the ephemeral range: the system assigns none of these ports. */
const FIRST = 20_000;
const BLOCKS = 120;
const BLOCK = 100;

let next = Math.floor(Math.random() * BLOCK);

/** A port of this machine that stays free until the caller listens on it; every call returns another one. */
export async function ownPort(): Promise<number> {
  const begin = FIRST + (place() % BLOCKS) * BLOCK;
  for (;;) {
    const port = begin + (next++ % BLOCK);
    if (await isFree(port)) return port;
  }
}

/**
 * Concurrent processes search in different blocks: the workers of one test run by their worker number, which never
 * collides, others by their pid, which rarely does.
 */
function place(): number {
  const worker = process.env['VITEST_POOL_ID'];
  return worker === undefined ? process.pid : process.ppid + Number(worker);
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1');
  try {
    await once(server, 'listening');
    server.close();
    await once(server, 'close');
    return true;
  } catch {
    return false;
  }
}

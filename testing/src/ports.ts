import { once } from 'node:events';
import { createServer } from 'node:net';

/** Below what systems give to whoever asks for any port, or connects to one: nobody gets it while nothing listens. */
const FIRST = 20_000;
const BLOCKS = 120;
const BLOCK = 100;

let next = Math.floor(Math.random() * BLOCK);

/** A port of this machine that stays free for who listens there later, or again; each call gives another one. */
export async function ownPort(): Promise<number> {
  const begin = FIRST + (place() % BLOCKS) * BLOCK;
  for (;;) {
    const port = begin + (next++ % BLOCK);
    if (await isFree(port)) return port;
  }
}

/**
 * Processes that look for one at the same time do so in different places: the workers of one run of tests, which their
 * numbers tell apart, surely; others, told apart by the number of the process alone, as a rule.
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

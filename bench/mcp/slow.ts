import type { ServerConfig } from '../../packages/mcp-host/src/index.ts';
import { say } from '../support/command.ts';
import type { Finding } from '../support/finding.ts';
import { startPeer } from '../support/process.ts';
import { median, quartiles } from '../support/quantile.ts';
import { checkReady, makeHost } from './host.ts';
import type { Options } from './options.ts';

const EACH = 25;
const DELAY_MS = 30_000;
const START_MS = 20_000;
const WAIT_MS = 60_000;

/** How long quick servers take to be ready alone, and beside as many that accept and answer half a minute later. */
export async function measureSlow({ quick }: Options): Promise<Finding[]> {
  const rounds = quick ? 10 : 60;
  const peers = [0, DELAY_MS].map((delay) =>
    startPeer<string, { urls: string[] }>('mcp/slow-server.ts', { args: [String(EACH), String(delay)] }),
  );
  try {
    const [quickOnes, slowOnes] = await Promise.all(peers.map((peer) => peer.hear(START_MS)));
    const fast = configsOf('fast', quickOnes?.urls ?? []);
    const slow = configsOf('slow', slowOnes?.urls ?? []);
    const alone: number[] = [];
    const beside: number[] = [];
    say(`slow: ${String(rounds)} rounds`);
    const ratios: number[] = [];
    for (let round = -3; round < rounds; round++) {
      // Who comes first changes: the one behind finds the machine as the other has left it.
      const isAloneFirst = round % 2 === 0;
      const first = await readyMs(fast, isAloneFirst ? [] : slow);
      const second = await readyMs(fast, isAloneFirst ? slow : []);
      if (round < 0) continue;
      const [one, other] = isAloneFirst ? [first, second] : [second, first];
      alone.push(one);
      beside.push(other);
      ratios.push(other / one);
    }
    return [
      {
        part: 'slow',
        measure: '25 quick servers alone until all are ready',
        value: median(alone),
        unit: 'ms',
        quartiles: quartiles(alone),
      },
      {
        part: 'slow',
        measure: 'the same beside 25 that answer after 30 s',
        value: median(beside),
        unit: 'ms',
        quartiles: quartiles(beside),
      },
      {
        part: 'slow',
        measure: 'how many times as long',
        value: median(ratios),
        unit: '',
        quartiles: quartiles(ratios),
        atMost: 1.3,
        of: { rounds },
      },
    ];
  } finally {
    await Promise.all(peers.map((peer) => peer.end()));
  }
}

function configsOf(name: string, urls: readonly string[]): ServerConfig[] {
  return urls.map((url, at) => ({ id: `${name}-${String(at)}`, transport: { type: 'http', url } }));
}

async function readyMs(fast: readonly ServerConfig[], slow: readonly ServerConfig[]): Promise<number> {
  // Mixed, as in a file people write: a slow one stands before every quick one.
  const servers = fast.flatMap((config, at) => [...slow.slice(at, at + 1), config]);
  await using host = makeHost(servers);
  const ids = new Set(fast.map(({ id }) => id));
  const begun = performance.now();
  void host.connectAll();
  await host.whenSettled(ids, undefined, WAIT_MS);
  const took = performance.now() - begun;
  checkReady(host, ids);
  return took;
}

import type { ServerConfig } from '../../packages/mcp-host/src/index.ts';
import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { alternate } from '../harness/rounds.ts';
import { startPeer } from '../harness/process.ts';
import { checkReady, makeHost } from './host.ts';

const EACH = 25;
const DELAY_MS = 30_000;
const START_MS = 20_000;
const WAIT_MS = 60_000;

/** Time until fast servers are ready, alone and together with as many that respond after half a minute. */
export async function measureSlow({ options }: Bench): Promise<Figure[]> {
  const rounds = options.quick ? 10 : 60;
  await using stack = new AsyncDisposableStack();
  const [fast, slow] = await Promise.all(
    [0, DELAY_MS].map(async (delay) => {
      const args = [String(EACH), String(delay)];
      const peer = stack.use(startPeer<string, { urls: string[] }>('mcp/slow-server.ts', { args }));
      return createConfigs(`after-${String(delay)}`, (await peer.hear(START_MS)).urls);
    }),
  );
  const pairs = await alternate(
    { rounds, warmUp: 3 },
    () => readyMs(fast ?? [], []),
    () => readyMs(fast ?? [], slow ?? []),
  );
  return [
    sampled(
      '25 quick servers alone until all are ready',
      pairs.map(([alone]) => alone),
      'ms',
    ),
    sampled(
      'the same with 25 that answer after 30 s',
      pairs.map(([, together]) => together),
      'ms',
    ),
    sampled(
      'how many times as long',
      pairs.map(([alone, together]) => together / alone),
      'times',
      { atMost: 1.3, of: { rounds } },
    ),
  ];
}

function createConfigs(name: string, urls: readonly string[]): ServerConfig[] {
  return urls.map((url, at) => ({ id: `${name}-${String(at)}`, transport: { type: 'http', url } }));
}

async function readyMs(fast: readonly ServerConfig[], slow: readonly ServerConfig[]): Promise<number> {
  // Mixed, as in a file of a user: a slow one before every quick one.
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

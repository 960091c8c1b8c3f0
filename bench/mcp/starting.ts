import type { TransportConfig } from '../../packages/mcp-host/src/index.ts';
import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { alternate } from '../harness/rounds.ts';
import { checkReady, makeHost, OVER_STDIO } from './host.ts';

type Sandbox = Extract<TransportConfig, { type: 'stdio' }>['sandbox'];

const read = [new URL('../..', import.meta.url).pathname];
const SANDBOXES: Readonly<Record<string, Sandbox>> = {
  sandbox: { read },
  'network off': { read, network: 'off' },
  'limited hosts': { read, network: ['example.com'] },
};

/** Time until a stdio server is ready, alternately with and without a sandbox. */
export async function measureStarting({ options }: Bench): Promise<Figure[]> {
  const rounds = options.quick ? 5 : 15;
  const figures: Figure[] = [];
  for (const [kind, sandbox] of Object.entries(SANDBOXES)) {
    // The first start detects the sandbox and fills the disk cache.
    const pairs = await alternate(
      { rounds, warmUp: 1 },
      () => start(undefined),
      () => start(sandbox),
    );
    const added = pairs.map(([without, within]) => within - without);
    figures.push(sampled(`starting one stdio server: added by ${kind}`, added, 'ms', { atMost: 50, of: { rounds } }));
  }
  return figures;
}

async function start(sandbox: Sandbox): Promise<number> {
  const transport = sandbox === undefined ? OVER_STDIO : { ...OVER_STDIO, sandbox };
  const begun = performance.now();
  await using host = makeHost([{ id: 'one', transport }]);
  await host.connectAll();
  const ms = performance.now() - begun;
  checkReady(host);
  return ms;
}

import { performance } from 'node:perf_hooks';
import type { TransportConfig } from '../../packages/mcp-host/src/index.ts';
import type { Finding } from '../support/finding.ts';
import { checkReady, makeHost, OVER_STDIO } from './host.ts';
import type { Options } from './options.ts';

type Sandbox = Extract<TransportConfig, { type: 'stdio' }>['sandbox'];

/** One stdio server until it is ready, with and without a sandbox, in turns: what the sandbox adds. */
export async function measureStarting({ quick }: Options): Promise<Finding[]> {
  const rounds = quick ? 5 : 15;
  const read = [new URL('../..', import.meta.url).pathname];
  const kinds: Readonly<Record<'sandbox' | 'network off' | 'limited hosts', Sandbox>> = {
    sandbox: { read },
    'network off': { read, network: 'off' },
    'limited hosts': { read, network: ['example.com'] },
  };
  // The first start asks the system what it can do, and fills the caches of the disk.
  await start(undefined);
  await start(kinds.sandbox);
  const differences = new Map<string, number[]>();
  for (let round = 0; round < rounds; round++) {
    for (const [kind, sandbox] of Object.entries(kinds)) {
      // Who comes first changes with every round.
      const isFirst = round % 2 === 0;
      const before = isFirst ? await start(undefined) : await start(sandbox);
      const after = isFirst ? await start(sandbox) : await start(undefined);
      const added = isFirst ? after - before : before - after;
      differences.set(kind, [...(differences.get(kind) ?? []), added]);
    }
  }
  return [...differences].map(([kind, values]) => ({
    part: 'starting',
    measure: `starting one stdio server: added by ${kind}`,
    value: values.sort((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0,
    unit: 'ms' as const,
    atMost: 50,
    of: { rounds },
  }));
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

import type { ServerConfig } from '../../packages/mcp-host/src/index.ts';
import { isAlive, listProcessTree } from '../../testing/src/processes.ts';
import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { figure } from '../harness/figure.ts';
import { checkReady, makeHost, OVER_STDIO } from './host.ts';

const CONNECT_MS = 120_000;
const LOOK_EVERY_MS = 10;
const GIVE_UP_MS = 20_000;

/** Closes many stdio servers at once, each behind a shell like npx, and measures until all processes have exited. */
export async function measureClosing({ options, say }: Bench): Promise<Figure[]> {
  const servers = options.quick ? 10 : 50;
  const { command, args = [] } = OVER_STDIO;
  const line = [command, ...args].map((part) => `'${part}'`).join(' ');
  const host = makeHost(
    Array.from({ length: servers }, (_, at): ServerConfig => {
      const id = `server-${String(at)}`;
      // Half of them behind a wrapper process.
      const transport =
        at % 2 === 0 ? OVER_STDIO : { type: 'stdio' as const, command: 'sh', args: ['-c', `${line}; true`] };
      return { id, transport, connectTimeoutMs: CONNECT_MS };
    }),
  );
  say(`starting ${String(servers)} servers`);
  await host.connectAll();
  checkReady(host);
  const processes = listProcessTree(process.pid).filter((pid) => pid !== process.pid);
  if (processes.length < servers) throw new Error(`found only ${String(processes.length)} processes`);

  const begun = performance.now();
  await host.close();
  const closedMs = performance.now() - begun;
  let left = processes.filter(isAlive);
  while (left.length > 0 && performance.now() - begun < GIVE_UP_MS) {
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    left = left.filter(isAlive);
  }
  const goneMs = performance.now() - begun;
  return [
    figure(`closing ${String(servers)} stdio servers`, closedMs, 'ms'),
    figure('until none of their processes is left', goneMs, 'ms', {
      atMost: 2_000,
      of: { processes: processes.length },
    }),
    figure('processes left', left.length, '', { atMost: 0 }),
  ];
}

import { readdirSync, readFileSync } from 'node:fs';
import type { ServerConfig } from '../../packages/mcp-host/src/index.ts';
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
  const processes = childrenOf(process.pid);
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

/** All descendants of this process, from /proc. */
function childrenOf(pid: number): number[] {
  const parents = readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const state = statOf(Number(name));
      return state === null ? [] : [{ pid: Number(name), parent: state.parent }];
    });
  const below = (root: number): number[] =>
    parents.filter(({ parent }) => parent === root).flatMap(({ pid: child }) => [child, ...below(child)]);
  return below(pid);
}

function isAlive(pid: number): boolean {
  const state = statOf(pid);
  return state !== null && state.letter !== 'Z';
}

function statOf(pid: number): { letter: string; parent: number } | null {
  try {
    const stat = readFileSync(`/proc/${String(pid)}/stat`, 'utf8');
    const [letter = '', parent = ''] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return { letter, parent: Number(parent) };
  } catch {
    return null;
  }
}

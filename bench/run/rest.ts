import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import type { Memory } from '../harness/probe.ts';
import { makeDataFolder } from '../harness/server.ts';
import type { Context } from './serve.ts';
import { serve } from './serve.ts';

const PAGE = fileURLToPath(new URL('../../packages/web/build/index.html', import.meta.url));

/** Start time and idle memory of a server. */
export async function measureRest(context: Context): Promise<Figure[]> {
  const { quick } = context.options;
  const starts = quick ? 4 : 10;
  const idleMs = quick ? 5_000 : 20_000;
  if (!existsSync(PAGE)) context.say('the page is not built; the server starts without it');
  using folder = makeDataFolder();
  const startMs: number[] = [];
  let memory: Memory | undefined;
  for (let start = 0; start <= starts; start++) {
    await using server = await serve(context, `rest-${String(start)}`, { dataFolder: folder.path });
    // The first start fills the caches.
    if (start > 0) startMs.push(server.startMs);
    if (start < starts) continue;
    context.say(`idle for ${String(idleMs / 1000)} s`);
    await new Promise((resolve) => setTimeout(resolve, idleMs));
    memory = await server.memory();
  }
  if (!memory) throw new Error('the memory was never measured');
  const measured = memory;
  return [
    sampled('from the start of the process to the address, a second start', startMs, 'ms', {
      atMost: 1_000,
      of: { starts },
    }),
    figure('resident memory of the server at rest', memory.rss, 'MB', { atMost: 150 }),
    ...Object.entries(KINDS).map(([kind, measure]) => figure(measure, measured[kind as keyof typeof KINDS], 'MB')),
  ];
}

const KINDS = {
  files: "  of it: files in memory (Node's program; shared between processes)",
  heapTotal: '  of it: the heap of V8',
  heapUsed: '    in use',
  code: '    code in it',
  external: '  of it: buffers',
  native: '  of it: the rest (SQLite, sockets, threads, the allocator)',
} as const;

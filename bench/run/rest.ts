import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { median, quartiles } from '../support/quantile.ts';
import type { Context } from './context.ts';
import { serve } from './context.ts';
import type { Finding } from '../support/finding.ts';
import type { Memory } from '../support/probe.ts';
import { makeDataFolder } from '../support/server.ts';

const PAGE = fileURLToPath(new URL('../../packages/web/build/index.html', import.meta.url));

/** How soon a server is there, and what it holds while nothing happens. */
export async function measureRest(context: Context): Promise<Finding[]> {
  const { quick } = context.options;
  const starts = quick ? 4 : 10;
  const idleMs = quick ? 5_000 : 20_000;
  if (!existsSync(PAGE)) context.say('the page is not built; the server starts without it');
  using folder = makeDataFolder();
  const startMs: number[] = [];
  let memory: Memory | undefined;
  for (let start = 0; start <= starts; start++) {
    const server = await serve(context, `rest-${String(start)}`, { dataFolder: folder.path });
    try {
      // The first fills the caches, as it does for everybody.
      if (start > 0) startMs.push(server.startMs);
      if (start === starts) {
        context.say(`at rest for ${String(idleMs / 1000)} s`);
        await new Promise((resolve) => setTimeout(resolve, idleMs));
        memory = await server.memory();
      }
    } finally {
      await server.end();
    }
  }
  if (!memory) throw new Error('the server was never asked');
  const { rss, ...parts } = memory;
  return [
    {
      part: 'rest',
      measure: 'from the start of the process to the address, a second start',
      value: median(startMs),
      unit: 'ms',
      quartiles: quartiles(startMs),
      atMost: 1_000,
      of: { starts },
    },
    { part: 'rest', measure: 'resident memory of the server at rest', value: rss, unit: 'MB', atMost: 150, of: parts },
    ...Object.entries(PARTS).map(([part, measure]): Finding => ({
      part: 'rest',
      measure,
      value: memory[part as keyof typeof PARTS],
      unit: 'MB',
    })),
  ];
}

const PARTS = {
  files: "  of it: files in memory (Node's program; shared between processes)",
  heapTotal: '  of it: the heap of V8',
  heapUsed: '    in use',
  code: '    code in it',
  external: '  of it: buffers',
  native: '  of it: the rest (SQLite, sockets, threads, the allocator)',
} as const;

import { loadNow, machine, say } from './command.ts';
import type { Figure, Row } from './figure.ts';
import { table } from './figure.ts';
import type { Options, OwnOption } from './options.ts';
import { readOptions } from './options.ts';

/** Context of every part of a bench. */
export type Bench = {
  options: Options;
  /** Progress, on stderr. */
  say: (text: string) => void;
};

/** A bench. The harness reads the options, runs the parts, and prints their figures. */
export type Plan<Context> = {
  name: string;
  parts: Readonly<Record<string, (context: Context) => Promise<readonly Figure[]> | readonly Figure[]>>;
  /** Additional options. */
  own?: Readonly<Record<string, OwnOption>>;
  /** Runs all parts in each yielded context, and cleans up after each. `label` distinguishes the contexts. */
  contexts: (bench: Bench) => AsyncGenerator<{ context: Context; label?: string }>;
};

/** For benches whose parts need only the options. */
export async function* noContext(bench: Bench): AsyncGenerator<{ context: Bench }> {
  yield await Promise.resolve({ context: bench });
}

/** Runs a bench: JSON lines on stdout, progress and a table on stderr. Exits the process. */
export async function runBench<Context>({ name: bench, parts, own, contexts }: Plan<Context>): Promise<never> {
  const options = readOptions({ name: bench, parts: Object.keys(parts), ...(own && { own }) });
  const rows: Row[] = [];
  let current = bench;
  say(`${machine()}; ${loadNow()}`);
  for await (const { context, label } of contexts({ options, say: (text) => say(`${current}: ${text}`) })) {
    for (const name of options.only) {
      const part = label === undefined ? name : `${label}: ${name}`;
      current = part;
      const figures = (await parts[name]?.(context)) ?? [];
      const found = figures.map((figure): Row => ({ bench, part, ...figure }));
      for (const row of found) process.stdout.write(`${JSON.stringify(row)}\n`);
      rows.push(...found);
      say(`${part}: measured; ${loadNow()}`);
    }
    current = bench;
  }
  say(`\n${table(rows)}`);
  // Open connections would keep the process alive.
  process.exit();
}

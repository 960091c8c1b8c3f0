// What a durable run costs: a real server in a process of its own, a model server in another, load and readers in this
// one. JSON lines on stdout, a table for people on stderr.
import type { Context } from './run/context.ts';
import { loadNow, machine, optionsOrExit, say } from './support/command.ts';
import type { Finding } from './support/finding.ts';
import { table } from './support/finding.ts';
import type { Options, Part } from './run/options.ts';
import { readOptions, USAGE } from './run/options.ts';
import { startUpstream } from './support/start-upstream.ts';

type Measure = (context: Context) => Promise<Finding[]>;

const MEASURES: Readonly<Record<Part, () => Promise<Measure>>> = {
  commit: async () => (await import('./run/commit.ts')).measureCommit,
  'first-token': async () => (await import('./run/first-token.ts')).measureFirstToken,
  many: async () => (await import('./run/many.ts')).measureMany,
  long: async () => (await import('./run/long.ts')).measureLong,
  rest: async () => (await import('./run/rest.ts')).measureRest,
};

async function main(options: Options): Promise<Finding[]> {
  say(`${machine()}; ${loadNow()}`);
  const upstream = await startUpstream();
  const findings: Finding[] = [];
  try {
    for (const part of options.only) {
      const measure = await MEASURES[part]();
      const found = await measure({ options, upstream, say: (text) => say(`${part}: ${text}`) });
      for (const finding of found) process.stdout.write(`${JSON.stringify({ bench: 'run', ...finding })}\n`);
      findings.push(...found);
      say(`${part} is measured; ${loadNow()}`);
    }
  } finally {
    await upstream.end();
  }
  return findings;
}

say(`\n${table(await main(optionsOrExit(readOptions, USAGE)))}`);
// Connections kept open would keep the process too.
process.exit();

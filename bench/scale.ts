// Servers on both engines, and web and worker over PostgreSQL: a model server in a process of its own, load and readers
// in this one. JSON lines on stdout, a table for people on stderr.
import { findPostgres } from '../testing/src/postgres-binaries.ts';
import { startCluster } from '../testing/src/postgres.ts';
import type { Context } from './scale/context.ts';
import type { Options, Part } from './scale/options.ts';
import { readOptions, USAGE } from './scale/options.ts';
import { openPlace } from './scale/place.ts';
import { loadNow, machine, optionsOrExit, say } from './support/command.ts';
import type { Finding } from './support/finding.ts';
import { table } from './support/finding.ts';
import { startUpstream } from './support/start-upstream.ts';

type Measure = (context: Context) => Promise<Finding[]>;

const MEASURES: Readonly<Record<Part, () => Promise<Measure>>> = {
  'first-token': async () => (await import('./scale/first-token.ts')).measureFirstToken,
  many: async () => (await import('./scale/many.ts')).measureMany,
  resume: async () => (await import('./scale/resume.ts')).measureResume,
};

async function main(options: Options): Promise<Finding[]> {
  say(`${machine()}; ${loadNow()}`);
  const wanted = options.places.some((name) => name !== 'sqlite');
  const binaries = wanted ? await findPostgres() : null;
  if (binaries?.missing) say(binaries.missing);
  const cluster = binaries?.folder ? await startCluster(binaries.folder, { durable: true }) : null;
  const upstream = await startUpstream();
  const findings: Finding[] = [];
  try {
    for (const name of options.places) {
      const place = await openPlace(name, { upstreamUrl: upstream.baseUrl, cluster, profile: options.profile });
      if (!place) {
        say(`${name}: left out, it needs PostgreSQL`);
        continue;
      }
      try {
        for (const part of options.only) {
          const measure = await MEASURES[part]();
          const found = await measure({ place, options, upstream, say: (text) => say(`${name}, ${part}: ${text}`) });
          for (const finding of found) process.stdout.write(`${JSON.stringify({ bench: 'scale', ...finding })}\n`);
          findings.push(...found);
          say(`${name}, ${part} is measured; ${loadNow()}`);
        }
      } finally {
        await place.end();
      }
    }
  } finally {
    await upstream.end();
    await cluster?.close();
  }
  return findings;
}

say(`\n${table(await main(optionsOrExit(readOptions, USAGE)))}`);
// Connections kept open would keep the process too.
process.exit();

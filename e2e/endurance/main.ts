import { parseArgs } from 'node:util';
import { setup as bundlePrograms } from '../../scripts/test-programs.ts';
import { startCluster } from '@toolyard/testing/postgres';
import { findPostgres } from '@toolyard/testing/postgres-binaries';
import { runEndurance } from './endurance.ts';
import type { Role } from './plan.ts';
import { formatSummary } from './summary.ts';

const USAGE = `npm run test:long -- endurance [--minutes N] [--seed S] [--people N] [--roles LIST]

Runs several servers on one PostgreSQL for so many minutes (default 10), with users, sub-agents, a group and a schedule.
Processes are killed, stopped for longer than their leases and resumed, disconnected from the database, and shut down;
the database is restarted; notifications are lost. Then the record is checked: nothing lost, no run owned by two
processes, no call made twice, every event read once, every time of the schedule run once.

  --roles  role of each process, for example web,worker,worker,tools (default all,all,all)`;

const ROLES: readonly Role[] = ['all', 'web', 'worker', 'tools'];

const { values } = parseArgs({
  options: {
    minutes: { type: 'string' },
    seed: { type: 'string' },
    people: { type: 'string' },
    roles: { type: 'string', default: 'all,all,all' },
    help: { type: 'boolean' },
  },
});

if (values.help === true) process.stdout.write(`${USAGE}\n`);
else {
  try {
    process.exitCode = await main();
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 1;
  }
}

async function main(): Promise<number> {
  await bundlePrograms();
  const minutes = above0('minutes', values.minutes) ?? 10;
  const seed = above0('seed', values.seed) ?? Date.now() % 1_000_000;
  const people = above0('people', values.people);
  const roles = values.roles.split(',').map(readRole);
  const binaries = await findPostgres();
  if (binaries.missing !== null) throw new Error(binaries.missing);
  const log = (line: string): void => void process.stdout.write(`  ${line}\n`);
  process.stdout.write(`${String(minutes)} minutes with --seed ${String(seed)}\n`);
  const cluster = await startCluster(binaries.folder);
  try {
    const forMs = minutes * 60_000;
    const result = await runEndurance({
      cluster,
      seed,
      forMs,
      log,
      roles,
      ...(people === undefined ? {} : { people }),
    });
    process.stdout.write(`${formatSummary(result)}\n`);
    for (const problem of result.problems) process.stdout.write(`  ${problem}\n`);
    for (const [id, lines] of result.traces) process.stdout.write(`\n${id}\n  ${lines.join('\n  ')}\n`);
    return result.problems.length === 0 ? 0 : 1;
  } finally {
    await cluster.close();
  }
}

function above0(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (number > 0) return number;
  throw new Error(`--${name} must be a number above 0 (got "${text}").\n\n${USAGE}`);
}

function readRole(name: string): Role {
  const role = ROLES.find((each) => each === name);
  if (role === undefined) throw new Error(`Unknown role "${name}". Use ${ROLES.join(', ')}.`);
  return role;
}

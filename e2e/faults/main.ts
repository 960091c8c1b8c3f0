import { parseArgs } from 'node:util';
import { setup as bundlePrograms } from '../../scripts/test-programs.ts';
import { startCluster } from '@toolyard/testing/postgres';
import { findPostgres } from '@toolyard/testing/postgres-binaries';
import type { PlannedFault } from './every-point.ts';
import { inject, planEveryPoint, pickSample } from './every-point.ts';
import type { Engine } from './run-with-faults.ts';
import type { Scenario } from './scenario.ts';
import { SCENARIOS } from './scenarios.ts';

const USAGE = `npm run test:long -- torture [--engine sqlite|postgres] [--scenario counting|talking|delegating|grouping] [--sample N] [--seed S] [--jobs N]

Runs each scenario once without faults to list every point at which something is done or stored, then once for each
point, killed exactly there, and checks that the outcome is the same. Without --engine on both.`;

const { values } = parseArgs({
  options: {
    engine: { type: 'string' },
    scenario: { type: 'string' },
    sample: { type: 'string' },
    seed: { type: 'string' },
    jobs: { type: 'string' },
    help: { type: 'boolean' },
  },
});

if (values.help === true) process.stdout.write(`${USAGE}\n`);
else {
  try {
    await main();
  } catch (thrown) {
    process.stderr.write(`${thrown instanceof Error ? thrown.message : String(thrown)}\n`);
    process.exitCode = 1;
  }
}

async function main(): Promise<void> {
  await bundlePrograms();
  const seed = count('seed', values.seed) ?? Date.now() % 1_000_000;
  const jobs = count('jobs', values.jobs) ?? 4;
  const sample = count('sample', values.sample);
  const scenarios = SCENARIOS.filter(({ name }) => values.scenario === undefined || values.scenario === name);
  if (scenarios.length === 0) throw new Error(`Unknown scenario "${String(values.scenario)}".\n\n${USAGE}`);
  let failed = 0;
  for (const name of values.engine === undefined ? ['sqlite', 'postgres'] : [values.engine]) {
    failed += await injectInto(name, { scenarios, sample, seed, jobs });
  }
  process.exitCode = failed === 0 ? 0 : 1;
}

function count(name: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const number = Number(text);
  if (Number.isInteger(number) && number > 0) return number;
  throw new Error(`--${name} must be a whole number above 0 (got "${text}").\n\n${USAGE}`);
}

type How = { scenarios: readonly Scenario[]; sample: number | undefined; seed: number; jobs: number };

async function injectInto(name: string, how: How): Promise<number> {
  if (name === 'sqlite') return injectOn({ name }, how);
  if (name !== 'postgres') throw new Error(`Unknown engine "${name}".\n\n${USAGE}`);
  const binaries = await findPostgres();
  if (binaries.missing !== null) {
    process.stdout.write(`postgres: skipped, ${binaries.missing}\n`);
    return 0;
  }
  const cluster = await startCluster(binaries.folder);
  try {
    return await injectOn({ name, cluster }, how);
  } finally {
    await cluster.close();
  }
}

async function injectOn(engine: Engine, { scenarios, sample, seed, jobs }: How): Promise<number> {
  const all = await planEveryPoint(engine, scenarios);
  const chosenFaults = sample === undefined ? all : pickSample(all, sample, seed);
  const chosen = sample === undefined ? '' : `, ${chosenFaults.length} of them with --seed ${seed}`;
  process.stdout.write(`${engine.name}: ${all.length} points${chosen}\n`);
  const tally = { passed: 0, failed: 0, notReached: 0 };
  const waiting = [...chosenFaults];
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) report(next, await inject(engine, next));
  };
  const report = ({ scenario, fault }: PlannedFault, problems: readonly string[] | null): void => {
    if (problems === null) tally.notReached++;
    else if (problems.length === 0) tally.passed++;
    else tally.failed++;
    for (const problem of problems ?? []) {
      process.stdout.write(`  ${scenario.name}, ${fault.place} ${fault.hit}: ${problem}\n`);
    }
    const done = tally.passed + tally.failed + tally.notReached;
    if (done % 25 === 0) process.stdout.write(`  ${done} of ${chosenFaults.length}\n`);
  };
  await Promise.all(Array.from({ length: jobs }, work));
  process.stdout.write(
    `${engine.name}: ${chosenFaults.length} points, ${tally.passed} passed, ${tally.failed} failed, ` +
      `${tally.notReached} not reached (with a correct transcript)\n`,
  );
  return tally.failed;
}

import { globSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCH, benchmarks, installPeers } from './bench-peers.ts';
import { build } from './build.ts';
import { buildPage } from './build-page.ts';
import { packAndUse } from './pack.ts';
import type { Ran } from './run.ts';
import { ROOT, run, runTool, TSC } from './run.ts';

/**
 * `npm run test:long`: checks that take too long for `npm test`. A failed step does not stop the others, except that
 * bench/ needs its packages.
 */
type Step = { name: string; run: () => Promise<number> };
type Ended = { name: string; code: number; seconds: number };

const LONG_TESTS = '**/*.long.test.ts';

const PARTS: Readonly<Record<string, () => Promise<Ended[]>>> = {
  bench: runBenchChecks,
  packages: () => inTurn([{ name: 'packed, installed from the registry and used', run: installPackages }]),
  rounds: () => inTurn(benchmarks().map((name) => ({ name: `bench ${name} --quick`, run: () => runBenchmark(name) }))),
  tests: () =>
    inTurn([
      { name: 'long tests', run: runLongTests },
      ...(filters.length > 0 ? [] : [{ name: 'properties with all cases', run: runProperties }]),
    ]),
};

/** `npm test` links the packages that ours depend on instead. */
async function installPackages(): Promise<number> {
  const built = await build({ quiet: true });
  const wrong = built.ok ? await packAndUse('registry') : built.output;
  if (wrong !== null) console.error(wrong);
  return wrong === null ? 0 : 1;
}

const USAGE = `npm run test:long [-- --only PART,...] [-- FILE...]
npm run test:long -- torture | endurance | conformance | fuzz | faults [options, see --help of each]

  --only  these parts alone: ${Object.keys(PARTS).join(', ')}
            bench     installs the packages bench/ compares with, checks its types and lints it
            packages  installs the packed packages from the registry, and uses them
            rounds    a short round of each benchmark
            tests     the tests in *.long.test.ts, and the property tests with all their cases
  FILE    with the part "tests": only the test files whose path contains it
`;

async function main(args: string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
  });
  const names = values.only?.split(',') ?? (positionals.length > 0 ? ['tests'] : Object.keys(PARTS));
  const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
  if (values.help || unknown !== undefined) {
    console.error(unknown === undefined ? USAGE : `Unknown part "${unknown}".\n\n${USAGE}`);
    return unknown === undefined ? 0 : 2;
  }
  filters.push(...positionals);
  const ended: Ended[] = [];
  for (const name of names) ended.push(...((await PARTS[name]?.()) ?? []));

  console.log('\n seconds  exit code');
  for (const { name, code, seconds } of ended) {
    console.log(`${seconds.toFixed(1).padStart(8)}  ${String(code).padStart(9)}  ${name}`);
  }
  return ended.some(({ code }) => code !== 0) ? 1 : 0;
}

async function runBenchChecks(): Promise<Ended[]> {
  const installed = await inTurn([
    { name: 'bench: install its packages', run: async () => ((await installPeers()) ? 0 : 1) },
  ]);
  if (installed.some(({ code }) => code !== 0)) return installed;
  const checked = await inTurn([
    { name: 'bench: types', run: () => checkBenchTypes('tsconfig.json') },
    { name: 'bench: types of the page', run: () => checkBenchTypes(join('page', 'tsconfig.json')) },
    {
      name: 'bench: lint',
      run: () => codeOf(runTool('oxlint/bin/oxlint', ['--format=unix', '--config', 'bench/lint.config.ts', 'bench'])),
    },
  ]);
  return [...installed, ...checked];
}

function checkBenchTypes(config: string): Promise<number> {
  return codeOf(runTool(TSC, ['--noEmit', '-p', join(BENCH, config)]));
}

/** Runs `npm run bench -- NAME --quick`. */
function runBenchmark(name: string): Promise<number> {
  const bench = join(ROOT, 'scripts', 'bench.ts');
  const node = ['--conditions=toolyard-src', '--disable-warning=ExperimentalWarning'];
  return codeOf(run(process.execPath, [...node, bench, name, '--quick']));
}

async function runLongTests(): Promise<number> {
  if (globSync(LONG_TESTS, { cwd: ROOT, exclude: ['**/node_modules'] }).length === 0) {
    console.log(`no file matches ${LONG_TESTS}`);
    return 0;
  }
  const wrong = await buildPage({ log: (line) => console.error(line) });
  if (wrong !== null) {
    console.error(wrong);
    return 1;
  }
  const env = { ...process.env, TOOLYARD_LONG: '1' };
  const named = filters.length > 0 ? filters : ['.long.test.ts'];
  return codeOf(runTool('vitest/vitest.mjs', ['run', '--passWithNoTests', ...named], { env }));
}

/** Runs `npm run test:long -- fuzz --times 1`. */
function runProperties(): Promise<number> {
  const node = ['--conditions=toolyard-src', '--disable-warning=ExperimentalWarning'];
  return codeOf(run(process.execPath, [...node, join(ROOT, 'scripts', 'fuzz.ts'), '--times', '1']));
}

async function inTurn(steps: readonly Step[]): Promise<Ended[]> {
  const ended: Ended[] = [];
  for (const step of steps) {
    console.log(`\n${step.name} ...`);
    const started = performance.now();
    const code = await step.run();
    const seconds = (performance.now() - started) / 1000;
    console.log(`    ${step.name}: ${code === 0 ? 'ok' : `exit code ${String(code)}`} (${seconds.toFixed(1)} s)`);
    ended.push({ name: step.name, code, seconds });
  }
  return ended;
}

async function codeOf(ran: Promise<Ran>): Promise<number> {
  return (await ran).code;
}

const filters: string[] = [];
process.exitCode = await main(process.argv.slice(2));

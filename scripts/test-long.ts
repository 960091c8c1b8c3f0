import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { BENCH, benchmarks, installPeers } from './bench-peers.ts';
import { build } from './build.ts';
import { buildPage } from './build-page.ts';
import { packAndUse } from './pack.ts';
import { ROOT, run, runTool, TSC } from './run.ts';

/** `npm run test:long`: checks that take too long for `npm test`. A failed step does not stop the others. */
type Step = { name: string; run: () => Promise<{ code: number } | string | null> };

const USAGE = `npm run test:long [-- --only PART,...] [-- FILE...]
npm run test:long -- torture | endurance | conformance | fuzz [options, see --help of each]

  --only  these parts alone:
            bench     installs the packages bench/ compares with, checks its types and lints it
            packages  installs the packed packages from the registry, and uses them
            rounds    a short round of each benchmark
            tests     the tests in *.long.test.ts, and the property tests with all their cases
  FILE    with the part "tests": only the test files whose path contains it
`;

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { only: { type: 'string' }, help: { type: 'boolean', short: 'h', default: false } },
});

const runTypeCheck = (config: string) => runTool(TSC, ['--noEmit', '-p', join(BENCH, config)]);
const PARTS: Readonly<Record<string, readonly Step[]>> = {
  bench: [
    { name: 'bench: install its packages', run: async () => ((await installPeers()) ? null : 'not installed') },
    { name: 'bench: types', run: () => runTypeCheck('tsconfig.json') },
    { name: 'bench: types of the page', run: () => runTypeCheck(join('page', 'tsconfig.json')) },
    {
      name: 'bench: lint',
      run: () => runTool('oxlint/bin/oxlint', ['--format=unix', '--config', 'bench/lint.config.ts', 'bench']),
    },
  ],
  packages: [{ name: 'packed, installed from the registry and used', run: installPackages }],
  rounds: benchmarks().map((name) => ({
    name: `bench ${name} --quick`,
    run: () => runScript('bench.ts', [name, '--quick']),
  })),
  tests: [
    { name: 'long tests', run: runLongTests },
    {
      name: 'properties with all cases',
      run: () => (files.length > 0 ? Promise.resolve(null) : runScript('fuzz.ts', ['--times', '1'])),
    },
  ],
};

/** `npm test` links the packages that ours depend on instead. */
async function installPackages(): Promise<string | null> {
  const built = await build({ quiet: true });
  return built.ok ? packAndUse('registry') : built.output;
}

async function runLongTests(): Promise<{ code: number } | string> {
  const wrong = await buildPage({ log: (line) => console.error(line) });
  const env = { ...process.env, TOOLYARD_LONG: '1' };
  return wrong ?? runTool('vitest/vitest.mjs', ['run', ...(files.length > 0 ? files : ['.long.test.ts'])], { env });
}

function runScript(script: string, args: readonly string[]): Promise<{ code: number }> {
  const node = ['--conditions=toolyard-src', '--disable-warning=ExperimentalWarning'];
  return run(process.execPath, [...node, join(ROOT, 'scripts', script), ...args]);
}

async function runParts(names: readonly string[]): Promise<number> {
  const lines: string[] = [];
  let code = 0;
  for (const { name, run: runStep } of names.flatMap((part) => PARTS[part] ?? [])) {
    console.log(`\n${name} ...`);
    const started = performance.now();
    const ended = await runStep();
    const wrong =
      typeof ended === 'string' ? ended : ended !== null && ended.code !== 0 ? `exit code ${ended.code}` : null;
    if (wrong !== null) code = 1;
    lines.push(
      `${((performance.now() - started) / 1000).toFixed(1).padStart(8)} s  ${wrong === null ? 'ok    ' : 'FAILED'}  ${name}`,
    );
    console.log(`    ${name}: ${wrong ?? 'ok'}`);
  }
  console.log(`\n${lines.join('\n')}`);
  return code;
}

const names = values.only?.split(',') ?? (files.length > 0 ? ['tests'] : Object.keys(PARTS));
const unknown = names.find((name) => !Object.hasOwn(PARTS, name));
if (values.help || unknown !== undefined) {
  console.error(unknown === undefined ? USAGE : `Unknown part "${unknown}".\n\n${USAGE}`);
  process.exitCode = unknown === undefined ? 0 : 2;
} else process.exitCode = await runParts(names);

import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { isAbsolute, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPage } from './build-page.ts';
import { readExecutions } from './coverage/executions.ts';
import { COVERAGE_VARIABLE, foldersOf } from './coverage/record.ts';
import { comparisonOf, readSummary, summarize, tableOf, uncovered, writeReport } from './coverage/report.ts';
import { readUniverse } from './coverage/universe.ts';
import { ROOT, runTool } from './run.ts';

const USAGE = `npm run coverage [-- [--compare SUMMARY] [--no-run] [--keep] [files]]

Runs all tests, or those whose files are named, and prints statement coverage by package: what ran in the test process,
in programs the tests start and in the browser counts together. Writes .cache/coverage/summary.json and uncovered.json.

  --compare SUMMARY  print the difference from the summary.json of another run
  --no-run           run no tests; report what the last run with --keep has collected
  --keep             keep what was collected (gigabytes)`;

const FOLDER = join(ROOT, '.cache', 'coverage');
const RAW = join(FOLDER, 'raw');

const { values, positionals } = parseArgs({
  options: {
    compare: { type: 'string' },
    'no-run': { type: 'boolean' },
    keep: { type: 'boolean' },
    help: { type: 'boolean' },
  },
  allowPositionals: true,
});

if (values.help === true) console.log(USAGE);
else process.exitCode = await main();

async function main(): Promise<number> {
  // Read before the tests, because this run may overwrite the file.
  const before = values.compare === undefined ? null : readSummary(fromCaller(values.compare));
  const code = values['no-run'] === true ? 0 : await collect();
  report(before);
  if (values.keep !== true && values['no-run'] !== true) rmSync(RAW, { recursive: true, force: true });
  if (code !== 0) console.log('Tests failed, so the coverage above is incomplete.');
  return code;
}

/** Runs the tests; every process and page writes its coverage to the folder. */
async function collect(): Promise<number> {
  rmSync(RAW, { recursive: true, force: true });
  for (const folder of Object.values(foldersOf(RAW))) mkdirSync(folder, { recursive: true });
  process.env[COVERAGE_VARIABLE] = RAW;
  const wrong = await buildPage({ log: (line) => console.error(line) });
  if (wrong !== null) {
    console.error(wrong);
    return 1;
  }
  const provider = join(import.meta.dirname, 'coverage', 'vitest-provider.ts');
  const coverage = ['--coverage.enabled', '--coverage.provider=custom', `--coverage.customProviderModule=${provider}`];
  const { code } = await runTool('vitest/vitest.mjs', ['run', ...coverage, ...positionals]);
  return code;
}

function report(before: ReturnType<typeof readSummary> | null): void {
  const universe = readUniverse(ROOT);
  const { covered, records, broken } = readExecutions(ROOT, RAW, universe);
  const summary = summarize(universe, covered);
  const missing = uncovered(universe, covered, (file) => readFileSync(join(ROOT, file), 'utf8'));
  writeReport(FOLDER, summary, missing);
  console.log(tableOf(summary));
  console.log(
    `${String(records)} records; ${String(broken)} more are truncated, because their processes were killed while writing.`,
  );
  if (before !== null) console.log(`\n${comparisonOf(before, summary)}`);
}

/** npm changes to the root; resolves a path against the folder of the caller. */
function fromCaller(path: string): string {
  return isAbsolute(path) ? path : resolve(process.env['INIT_CWD'] ?? process.cwd(), path);
}

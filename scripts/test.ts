import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.ts';
import { buildPage } from './build-page.ts';
import type { Check, CheckResult } from './checks.ts';
import { runChecks } from './checks.ts';
import { startCounting } from './cost.ts';
import { checkDocsCode } from './docs-code.ts';
import { format } from './format.ts';
import { checkRepositoryRules } from './repository-rules.ts';
import { checkImports } from './import-rules.ts';
import { lint } from './lint.ts';
import { packAndUse, useInClone } from './pack.ts';
import { ROOT, run, runTool } from './run.ts';
import type { TestSummary } from './test-report.ts';
import { summarizeTests } from './test-report.ts';
import { beginTestRun, testRunEnv } from './test-run.ts';
import { needsPage, selectProjects } from './test-selection.ts';
import { toolCache } from './tool-cache.ts';
import { checkWords } from './words.ts';
import { checkPageTypes, checkTypes, ensurePagePrepared, preparePage } from './types.ts';

const USAGE = `npm test [-- FILES] [-- --watch] [-- --changed [--since COMMIT]]

Runs all checks, even if one fails. With arguments less:

  FILES      only the test files whose path contains one of these
  --watch    the tests of these files, or of what changes, again after each change
  --changed  what a change since the last commit can break, without the build and without browser and process tests
  --since    another commit
`;

const SLOWEST_SHOWN = 10;
const REPORT = join('.cache', 'vitest-report.json');
const SEE_ABOVE = 'see above';
const REASON_LINES = 15;
const VITEST = 'vitest/vitest.mjs';

const CHECKS: readonly Check[] = [
  { name: 'page: generated types', run: preparePage },
  {
    name: 'page: build',
    run: () => buildPage({ log: () => undefined }),
    after: ['page: generated types'],
  },
  // Includes the package of the page.
  { name: 'packages: build', run: buildPackages, after: ['page: build'] },
  // As early as possible, because other checks can use the CPU while tests wait.
  { name: 'tests', run: runTests, after: ['page: build', 'packages: build'] },
  { name: 'lint', run: () => lint(), after: ['page: build'] },
  { name: 'page: types', run: () => checkPageTypes(), after: ['page: build'] },
  { name: 'types', run: () => checkTypes({ incremental: true }) },
  { name: 'import rules', run: () => Promise.resolve(checkImports()) },
  { name: 'formatting', run: () => format(), after: ['packages: build'] },
  {
    name: 'unused code',
    run: () => tool('knip/bin/knip.js', ['--no-progress', '--cache', '--cache-location', toolCache('knip')]),
    after: ['packages: build'],
  },
  { name: 'repository rules', run: () => Promise.resolve(checkRepositoryRules()) },
  { name: 'words', run: () => Promise.resolve(checkWords()) },
  { name: 'code in the documents', run: checkDocsCode, after: ['packages: build'] },
  { name: 'page: size', run: () => tool('../packages/web/scripts/budget.ts', []), after: ['page: build'] },
  {
    name: 'packed, installed elsewhere and used',
    run: async () => (await packAndUse('linked')) ?? useInClone(),
    after: ['packages: build', 'page: build'],
  },
];

/** They need no build. */
const QUICK = ['types', 'page: types', 'import rules', 'formatting', 'words'];
/** Their tests need no built page. */
const UNIT_TESTS = ['packages/', 'servers/', 'testing/', 'scripts/'];

const endRun = beginTestRun();
const { values, positionals: filters } = parseArgs({
  allowPositionals: true,
  options: {
    watch: { type: 'boolean', default: false },
    changed: { type: 'boolean', default: false },
    since: { type: 'string', default: 'HEAD' },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
process.exitCode = await main();
endRun();

async function main(): Promise<number> {
  if (values.help) console.log(USAGE);
  if (values.help) return 0;
  if (values.changed) return checkChanged(values.since);
  return filters.length > 0 || values.watch ? runNamed() : everything();
}

/** `npm run check`. Unused code, documents, packages, browser and process tests are left to `npm test`. */
async function checkChanged(since: string): Promise<number> {
  const changed = await changedSince(since);
  if (changed === null) return 2;
  const unprepared = await ensurePagePrepared();
  if (unprepared !== null) console.error(unprepared);
  const results = await runChecks([
    {
      name: 'unit tests',
      run: () => tool(VITEST, ['run', '--reporter=dot', '--passWithNoTests', `--changed=${since}`, ...UNIT_TESTS]),
    },
    { name: 'lint', run: () => lint({ files: changed }) },
    ...CHECKS.filter(({ name }) => QUICK.includes(name)).map(({ name, run }) => ({ name, run })),
  ]);
  const failed = results.filter(({ wrong }) => wrong !== null).map(({ name }) => name);
  console.log(failed.length === 0 ? '\nEverything passed.' : `\nFailed: ${failed.join(', ')}`);
  return failed.length === 0 ? 0 : 1;
}

/** The files that differ from a commit and exist, with those that git does not know yet; null after an error of git. */
async function changedSince(since: string): Promise<string[] | null> {
  const listed = await Promise.all(
    [
      ['diff', '--name-only', '--diff-filter=d', since, '--'],
      ['ls-files', '--others', '--exclude-standard'],
    ].map((args) => run('git', args, { quiet: true })),
  );
  const wrong = listed.find(({ code }) => code !== 0);
  if (wrong !== undefined) console.error(`Cannot list the changes since "${since}": ${wrong.output.trim()}`);
  return wrong === undefined ? listed.flatMap(({ output }) => output.split('\n').filter(Boolean)) : null;
}

async function runNamed(): Promise<number> {
  const unprepared = await ensurePagePrepared();
  if (unprepared !== null) console.error(unprepared);
  const unbuilt = needsPage(filters) ? await buildPage({ log: (line) => console.error(line) }) : null;
  if (unbuilt !== null) {
    console.error(unbuilt);
    return 1;
  }
  const reporters = ['--reporter=default', '--reporter=./scripts/skips-reporter.ts'];
  const how = values.watch ? ['watch', ...(filters.length > 0 ? [] : ['--changed', ...UNIT_TESTS])] : ['run'];
  const args = [...how, ...selectProjects(filters), ...reporters, ...filters];
  const env = { ...process.env, ...testRunEnv() };
  return (await runTool(VITEST, args, { env, interactive: values.watch })).code;
}

async function everything(): Promise<number> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const started = performance.now();
  const stopCounting = startCounting();
  const results = await runChecks(CHECKS);
  const tests = summarizeTests(join(ROOT, REPORT));

  console.log('\nThe slowest test files:');
  for (const { file, seconds } of tests.files.slice(0, SLOWEST_SHOWN)) console.log(`${inColumn(seconds)} s  ${file}`);
  console.log('\nThe checks:');
  for (const { name, wrong, seconds } of results) {
    console.log(`${inColumn(seconds)} s  ${name}${wrong === null ? '' : ': FAILED'}`);
  }
  console.log(`\nWall time: ${((performance.now() - started) / 1000).toFixed(0)} s`);
  console.log(await stopCounting());
  return conclude(results, tests);
}

/** Prints failed and skipped tests; tools parse the last line. Returns the exit code. */
function conclude(results: readonly CheckResult[], tests: TestSummary): number {
  const failed = results.filter(({ wrong }) => wrong !== null).map(({ name }) => name);
  const checks = results.filter(({ name }) => name !== 'tests').length;
  const failedChecks = failed.filter((name) => name !== 'tests').length;
  console.log(failed.length === 0 ? '\nEverything passed.' : `\nFailed: ${failed.join(', ')}`);
  // Repeated at the end, because CI logs often keep only their last lines.
  for (const { name, wrong } of results) {
    if (wrong !== null && wrong !== SEE_ABOVE) console.log(`${name}:\n${lastLines(wrong)}`);
  }
  for (const test of tests.failures) console.log(`failed test: ${test}`);
  for (const line of tests.skips) console.log(line);
  console.log(
    `${tests.passed + checks - failedChecks} passed, ${tests.failed + failedChecks} failed, ${tests.skipped} skipped`,
  );
  return failed.length === 0 ? 0 : 1;
}

function lastLines(text: string): string {
  return text.trimEnd().split('\n').slice(-REASON_LINES).join('\n');
}

function inColumn(seconds: number): string {
  return seconds.toFixed(1).padStart(8);
}

async function tool(path: string, args: readonly string[]): Promise<string | null> {
  const ran = await runTool(path, args, { quiet: true });
  return ran.code === 0 ? null : ran.output;
}

async function buildPackages(): Promise<string | null> {
  const built = await build({ quiet: true });
  return built.ok ? null : built.output;
}

async function runTests(): Promise<string | null> {
  const args = ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`];
  const ran = await runTool(VITEST, args, { env: { ...process.env, ...testRunEnv() } });
  return ran.code === 0 ? null : SEE_ABOVE;
}

import { mkdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { build } from './build.ts';
import { buildPage } from './build-page.ts';
import { checkDocsCode } from './docs-code.ts';
import { format } from './format.ts';
import { checkHouse } from './house.ts';
import { checkImports } from './import-graph.ts';
import { lint } from './lint.ts';
import { packAndUse } from './pack.ts';
import { ROOT, runTool } from './run.ts';
import { selectProjects } from './test-selection.ts';
import { checkPageTypes, checkTypes, preparePage } from './types.ts';

/**
 * `npm test`: every check there is, all of them even if one fails. With arguments: only the tests whose file they name.
 */
type Check = {
  name: string;
  /** What is wrong; null if nothing is. */
  run: () => Promise<string | null>;
  /** The checks that have to be over before, whether they failed or not. */
  after?: readonly string[];
};

/** How it went: what is wrong, and how long it took. */
type Ended = { wrong: string | null; seconds: number };

/** Most checks keep one core busy each. */
const AT_ONCE = 2;
const SLOWEST_SHOWN = 10;

const REPORT = join('.cache', 'vitest-report.json');
const VITEST = 'vitest/vitest.mjs';

const CHECKS: readonly Check[] = [
  { name: 'what the page is checked with', run: preparePage },
  // Before all that reads what SvelteKit writes, and before the tests that look at it in a browser, each in a process
  // of its own.
  {
    name: 'the page: build',
    run: () => buildPage({ tell: () => undefined }),
    after: ['what the page is checked with'],
  },
  { name: 'formatting', run: () => format() },
  { name: 'lint', run: () => lint(), after: ['what the page is checked with'] },
  { name: 'house rules', run: () => Promise.resolve(checkHouse()) },
  { name: 'types', run: () => checkTypes() },
  { name: 'the page: types', run: checkPageTypes, after: ['the page: build'] },
  { name: 'import rules', run: async () => (await checkImports()).wrong },
  { name: 'unused code', run: () => tool('knip/bin/knip.js', ['--no-progress']) },
  { name: 'code in the documents', run: checkDocsCode },
  { name: 'the page: weight', run: () => tool('../packages/web/scripts/budget.ts', []), after: ['the page: build'] },
  {
    name: 'build',
    run: async () => {
      const built = await build({ quiet: true });
      return built.ok ? null : built.output;
    },
    // It takes away and writes files the others would come across.
    after: ['the page: build', 'formatting', 'house rules', 'import rules', 'unused code'],
  },
  { name: 'packed, installed elsewhere and used', run: packAndUse, after: ['build', 'the page: weight'] },
  { name: 'tests', run: runTests, after: ['the page: build', 'build'] },
  {
    name: 'requirements',
    run: async () => {
      const ran = await runTool('../scripts/requirements.ts', ['--report', REPORT], { quiet: true });
      console.log(ran.output.trimEnd());
      return ran.code === 0 ? null : 'see above';
    },
    after: ['tests'],
  },
];

const filters = process.argv.slice(2);
process.exitCode =
  filters.length > 0
    ? (await runTool(VITEST, ['run', ...selectProjects(filters), ...filters])).code
    : await everything();

async function everything(): Promise<number> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const started = performance.now();
  const ended = await runChecks();
  const tests = countTests();
  console.log('\nThe files of tests that took longest:');
  for (const { file, seconds } of tests.files.slice(0, SLOWEST_SHOWN)) console.log(`${inColumn(seconds)} s  ${file}`);
  console.log('\nThe checks:');
  for (const { name } of CHECKS) {
    const { wrong, seconds } = ended.get(name) ?? { wrong: 'not run', seconds: 0 };
    console.log(`${inColumn(seconds)} s  ${name}${wrong === null ? '' : ': FAILED'}`);
  }
  console.log(`${inColumn(secondsSince(started))} s  in all`);

  const failed = CHECKS.map(({ name }) => name).filter((name) => ended.get(name)?.wrong !== null);
  const checks = CHECKS.filter(({ name }) => name !== 'tests');
  const failedChecks = checks.filter(({ name }) => failed.includes(name)).length;
  console.log(failed.length === 0 ? '\nAll is well.' : `\nFailed: ${failed.join(', ')}`);
  for (const title of tests.skippedTitles) console.log(`skipped: ${title}`);
  console.log(
    `${tests.passed + checks.length - failedChecks} passed, ${tests.failed + failedChecks} failed, ${tests.skippedTitles.length} skipped`,
  );
  return failed.length === 0 ? 0 : 1;
}

/** As many at once as are worth it, in the order of the list where nothing has to be waited for. */
async function runChecks(): Promise<Map<string, Ended>> {
  const left = [...CHECKS];
  const running = new Map<string, Promise<void>>();
  const ended = new Map<string, Ended>();

  async function begin({ name, run }: Check): Promise<void> {
    console.log(`\n[${CHECKS.length - left.length}/${CHECKS.length}] ${name} ...`);
    const started = performance.now();
    const wrong = await run();
    const seconds = secondsSince(started);
    ended.set(name, { wrong, seconds });
    running.delete(name);
    if (wrong !== null) console.log(wrong.trimEnd());
    console.log(`    ${name}: ${wrong === null ? 'ok' : 'FAILED'} (${seconds.toFixed(1)} s)`);
  }

  while (left.length > 0 || running.size > 0) {
    const ready = left.findIndex(({ after = [] }) => after.every((name) => ended.has(name)));
    const [next] = ready >= 0 && running.size < AT_ONCE ? left.splice(ready, 1) : [];
    if (next) running.set(next.name, begin(next));
    else if (running.size > 0) await Promise.race(running.values());
    else throw new Error(`nothing comes before ${left.map(({ name }) => name).join(', ')}`);
  }
  return ended;
}

function secondsSince(started: number): number {
  return (performance.now() - started) / 1000;
}

function inColumn(seconds: number): string {
  return seconds.toFixed(1).padStart(8);
}

async function tool(path: string, args: readonly string[]): Promise<string | null> {
  const ran = await runTool(path, args, { quiet: true });
  return ran.code === 0 ? null : ran.output;
}

async function runTests(): Promise<string | null> {
  const ran = await runTool(VITEST, ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]);
  return ran.code === 0 ? null : 'see above';
}

type Report = {
  testResults: {
    name: string;
    startTime: number;
    endTime: number;
    assertionResults: { status: string; fullName: string }[];
  }[];
};

type Counted = { passed: number; failed: number; skippedTitles: string[]; files: { file: string; seconds: number }[] };

/** What the tests came to, and how long each of their files took, longest first. */
function countTests(): Counted {
  const { testResults } = JSON.parse(readFileSync(join(ROOT, REPORT), 'utf8')) as Report;
  const all = testResults.flatMap((file) => file.assertionResults);
  const passed = all.filter(({ status }) => status === 'passed').length;
  const failed = all.filter(({ status }) => status === 'failed').length;
  const skippedTitles = all
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName);
  const files = testResults
    .map(({ name, startTime, endTime }) => ({ file: relative(ROOT, name), seconds: (endTime - startTime) / 1000 }))
    .toSorted((a, b) => b.seconds - a.seconds);
  return { passed, failed, skippedTitles, files };
}

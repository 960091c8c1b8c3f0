import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './build.ts';
import { buildPage } from './build-page.ts';
import { checkDocsCode } from './docs-code.ts';
import { checkHouse } from './house.ts';
import { packAndUse } from './pack.ts';
import { PAGE } from './packages.ts';
import { ROOT, runTool } from './run.ts';

/**
 * `npm test`: every check there is, one after the other, all of them even if one fails. With arguments: only the
 * tests whose file they name.
 */
type Check = { name: string; run: () => Promise<string | null> };

const REPORT = join('.cache', 'vitest-report.json');
const VITEST = 'vitest/vitest.mjs';

const CHECKS: readonly Check[] = [
  { name: 'what the page is checked with', run: preparePage },
  { name: 'formatting', run: () => tool('prettier/bin/prettier.cjs', ['--check', '--log-level=warn', '.']) },
  { name: 'house rules', run: () => Promise.resolve(checkHouse()) },
  { name: 'types', run: () => tool('typescript/bin/tsc', ['--noEmit', '-p', 'tsconfig.json']) },
  // Before lint, which reads types SvelteKit writes here.
  { name: 'the page: types', run: checkPageTypes },
  { name: 'lint', run: () => tool('eslint/bin/eslint.js', ['.', '--max-warnings', '0']) },
  {
    name: 'import rules',
    run: () =>
      tool('dependency-cruiser/bin/dependency-cruise.mjs', [
        'packages',
        'servers',
        'testing',
        'e2e',
        '--output-type',
        'err',
      ]),
  },
  { name: 'unused code', run: () => tool('knip/bin/knip.js', ['--no-progress']) },
  { name: 'code in the documents', run: checkDocsCode },
  // Once, before the tests that look at it in a browser, each in a process of its own.
  { name: 'the page: build', run: () => buildPage({ tell: () => undefined }) },
  { name: 'tests', run: runTests },
  {
    name: 'requirements',
    run: async () => {
      const ran = await runTool('../scripts/requirements.ts', ['--report', REPORT], { quiet: true });
      console.log(ran.output.trimEnd());
      return ran.code === 0 ? null : 'see above';
    },
  },
  {
    name: 'build',
    run: async () => {
      const built = await build({ quiet: true });
      return built.ok ? null : built.output;
    },
  },
  { name: 'the page: weight', run: () => tool('../packages/web/scripts/budget.ts', []) },
  { name: 'packed, installed elsewhere and used', run: packAndUse },
];

const filters = process.argv.slice(2);
process.exitCode = filters.length > 0 ? (await runTool(VITEST, ['run', ...filters])).code : await everything();

async function everything(): Promise<number> {
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const failed: string[] = [];
  for (const [index, { name, run }] of CHECKS.entries()) {
    console.log(`\n[${index + 1}/${CHECKS.length}] ${name}`);
    const started = performance.now();
    const wrong = await run();
    const seconds = ((performance.now() - started) / 1000).toFixed(1);
    if (wrong === null) {
      console.log(`    ok (${seconds} s)`);
      continue;
    }
    failed.push(name);
    console.log(`${wrong.trimEnd()}\n    FAILED (${seconds} s)`);
  }
  const tests = countTests();
  const checks = CHECKS.filter(({ name }) => name !== 'tests');
  const failedChecks = checks.filter(({ name }) => failed.includes(name)).length;
  console.log(failed.length === 0 ? '\nAll is well.' : `\nFailed: ${failed.join(', ')}`);
  for (const title of tests.skippedTitles) console.log(`skipped: ${title}`);
  console.log(
    `${tests.passed + checks.length - failedChecks} passed, ${tests.failed + failedChecks} failed, ${tests.skippedTitles.length} skipped`,
  );
  return failed.length === 0 ? 0 : 1;
}

/** Types SvelteKit makes of the routes: lint, tests and types of the page rest on them. */
async function preparePage(): Promise<string | null> {
  const ran = await runTool('@sveltejs/kit/svelte-kit.js', ['sync'], { cwd: join(ROOT, PAGE), quiet: true });
  return ran.code === 0 ? null : ran.output;
}

/** Components have a checker of their own. */
async function checkPageTypes(): Promise<string | null> {
  const cwd = join(ROOT, PAGE);
  const args = ['--fail-on-warnings', '--tsconfig', './tsconfig.json', '--output', 'human'];
  const ran = await runTool('svelte-check/bin/svelte-check', args, { cwd, quiet: true });
  return ran.code === 0 ? null : ran.output;
}

async function tool(path: string, args: readonly string[]): Promise<string | null> {
  const ran = await runTool(path, args, { quiet: true });
  return ran.code === 0 ? null : ran.output;
}

async function runTests(): Promise<string | null> {
  const ran = await runTool(VITEST, ['run', '--reporter=default', '--reporter=json', `--outputFile.json=${REPORT}`]);
  return ran.code === 0 ? null : 'see above';
}

type Report = { testResults: { assertionResults: { status: string; fullName: string }[] }[] };

function countTests(): { passed: number; failed: number; skippedTitles: string[] } {
  const report = JSON.parse(readFileSync(join(ROOT, REPORT), 'utf8')) as Report;
  const all = report.testResults.flatMap((file) => file.assertionResults);
  const passed = all.filter(({ status }) => status === 'passed').length;
  const failed = all.filter(({ status }) => status === 'failed').length;
  const skippedTitles = all
    .filter(({ status }) => status !== 'passed' && status !== 'failed')
    .map(({ fullName }) => fullName);
  return { passed, failed, skippedTitles };
}

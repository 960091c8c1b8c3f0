import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { affectedTests } from './affected-tests.ts';
import { changesSince, rememberPassed } from './changes.ts';
import { format } from './format.ts';
import { checkImports } from './import-graph.ts';
import { lint } from './lint.ts';
import { checkPageTypes, checkTypes } from './types.ts';
import { ROOT, runTool } from './run.ts';

/**
 * `npm run check [-- --since COMMIT] [-- --all]`: types, lint, formatting, import rules and the unit tests affected by what changed
 * since the last commit that passed, with caches in `.cache/`. It is meant to be run after every change; `npm test`
 * remains the check of everything.
 */
type Step = { name: string; run: () => Promise<string | null> };

/** Most steps keep one core busy each. */
const AT_ONCE = 2;
/** Unit test files run, nearest to the change first: about 15 s. A change in a package many import affects hundreds. */
const MOST_TESTS = 100;
/** What the page is made of: its types are checked where one of these has changed. */
const PAGE_SOURCES = /^packages\/(web|protocol|mcp-host|model-runtime|agent-runtime|agent-host)\/|^package-lock\.json$/;

const { values } = parseArgs({
  options: { since: { type: 'string' }, all: { type: 'boolean', default: false } },
});
const started = performance.now();
mkdirSync(join(ROOT, '.cache'), { recursive: true });
const { since, files } = await changesSince(values.since);
console.log(`${String(files.length)} changed files since ${since.slice(0, 9)}`);
const present = files.filter((file) => existsSync(join(ROOT, file)));

const steps: Step[] = [
  { name: 'import rules and unit tests', run: checkImportsAndTests },
  { name: 'types', run: () => checkTypes({ incremental: true }) },
  { name: 'lint', run: () => lint({ files: present }) },
  { name: 'formatting', run: () => format({ files: present }) },
];
if (files.some((file) => PAGE_SOURCES.test(file))) {
  steps.push({ name: 'the page: types', run: checkPageTypes });
}

const failed: string[] = [];
await Promise.all(Array.from({ length: AT_ONCE }, work));
console.log(`${failed.length === 0 ? 'passed' : `failed: ${failed.join(', ')}`} in ${seconds(started)} s`);
if (failed.length === 0 && values.since === undefined) await rememberPassed();
process.exitCode = failed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
    const begun = performance.now();
    const wrong = await step.run();
    if (wrong !== null) failed.push(step.name);
    console.log(`${wrong === null ? 'ok    ' : 'FAILED'} ${step.name} (${seconds(begun)} s)`);
    if (wrong) console.log(wrong.trimEnd());
  }
}

async function checkImportsAndTests(): Promise<string | null> {
  const { wrong, importers } = await checkImports();
  if (wrong !== null) return wrong;
  const { unit, processes } = affectedTests(files, importers);
  if (processes.length > 0) {
    console.log(['affected, but left to npm test:', ...processes].join('\n  '));
  }
  const chosen = values.all ? unit : unit.slice(0, MOST_TESTS);
  const left = unit.length - chosen.length;
  if (left > 0) console.log(`${String(left)} unit test files farther from the change are not run (-- --all runs them)`);
  if (chosen.length === 0) return null;
  const ran = await runTool('vitest/vitest.mjs', ['run', '--reporter=dot', '--passWithNoTests', ...unit], {
    quiet: true,
  });
  return ran.code === 0 ? null : ran.output;
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(1);
}

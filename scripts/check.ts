import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { affectedTests, existing, MOST_TESTS } from './affected-tests.ts';
import { changesSince, CheckInputError, rememberPassed } from './changes.ts';
import { format } from './format.ts';
import type { Imports } from './import-graph.ts';
import { checkImports, reachedFrom } from './import-graph.ts';
import { lint } from './lint.ts';
import { checkPageTypes, checkTypes, ensurePagePrepared } from './types.ts';
import { ROOT, runTool } from './run.ts';
import { checkWords } from './words.ts';
import { selectProjects } from './test-selection.ts';

/**
 * `npm run check [-- --since COMMIT] [-- --all]`: types, lint, formatting, import rules and the unit tests affected by what changed
 * since the last commit that passed, with caches in `.cache/`. Run it after every change; `npm test` checks everything.
 */
type Step = { name: string; run: () => Promise<string | null> };
type Options = { since?: string; all: boolean };

/** Each step uses about one core. */
const CONCURRENCY = 2;
/** Type-aware rules depend on imported types, directly or through an index.ts. */
const LINTED_DISTANCE = 2;
/** Inputs of the page: a change of one requires a check of its types. */
const PAGE_SOURCES =
  /^packages\/(web|protocol|mcp-host|model-runtime|agent-runtime|agent-host)\/|^(package-lock|tsconfig)\.json$/;
/** Tests of other packages do not affect the page. */
const OTHER_TESTS = /^packages\/(?!web\/).*(\.test\.ts$|\/test-fixtures\/)/;
/** A change of these can affect the findings of every file. */
const LINT_SETTINGS =
  /^(oxlint\.config\.ts|eslint\.config\.ts|scripts\/lint-plugin\.ts|package-lock\.json|(packages\/web\/)?tsconfig\.json)$/;

try {
  process.exitCode = await check(options());
} catch (error) {
  if (!(error instanceof CheckInputError)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}

function options(): Options {
  try {
    const { values } = parseArgs({
      options: { since: { type: 'string' }, all: { type: 'boolean', default: false } },
    });
    return values;
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('\n');
    throw new CheckInputError(`${reason} Usage: npm run check [-- --since COMMIT] [-- --all]`);
  }
}

async function check({ since: sinceFlag, all }: Options): Promise<number> {
  const started = performance.now();
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  const { since, files } = await changesSince(sinceFlag);
  console.log(`${String(files.length)} changed files since ${since.slice(0, 9)}`);

  const failed: string[] = [];
  // The other steps need the import graph.
  const { wrong, importers } = checkImports();
  report({ name: 'import rules', wrong, begun: started });
  const steps: Step[] = [
    ...(wrong === null ? [{ name: 'unit tests', run: () => runAffectedTests(files, importers, all) }] : []),
    ...(files.some((file) => PAGE_SOURCES.test(file) && !OTHER_TESTS.test(file))
      ? [{ name: 'the page: types', run: checkPage }]
      : []),
    { name: 'types', run: () => checkTypes({ incremental: true }) },
    { name: 'lint', run: () => lint(wrong === null ? lintedFiles(files, importers) : {}) },
    { name: 'formatting', run: () => format() },
    { name: 'words', run: () => Promise.resolve(checkWords()) },
  ];
  await Promise.all(Array.from({ length: CONCURRENCY }, work));
  console.log(`${failed.length === 0 ? 'passed' : `failed: ${failed.join(', ')}`} in ${seconds(started)} s`);
  if (failed.length === 0 && sinceFlag === undefined) await rememberPassed();
  return failed.length === 0 ? 0 : 1;

  async function work(): Promise<void> {
    for (let step = steps.shift(); step !== undefined; step = steps.shift()) {
      const begun = performance.now();
      report({ name: step.name, wrong: await step.run(), begun });
    }
  }

  function report(result: { name: string; wrong: string | null; begun: number }): void {
    if (result.wrong !== null) failed.push(result.name);
    console.log(`${result.wrong === null ? 'ok    ' : 'FAILED'} ${result.name} (${seconds(result.begun)} s)`);
    if (result.wrong) console.log(result.wrong.trimEnd());
  }
}

/** npm removes the generated types on installation. */
async function checkPage(): Promise<string | null> {
  return (await ensurePagePrepared()) ?? checkPageTypes();
}

/** The changed files and their importers; all files if lint settings have changed. */
function lintedFiles(changed: readonly string[], importers: Imports['importers']): { files?: string[] } {
  if (changed.some((file) => LINT_SETTINGS.test(file))) return {};
  const near = [...reachedFrom(changed, importers)].filter(([, distance]) => distance <= LINTED_DISTANCE);
  // ESLint takes a second per ten components, and few of its rules depend on imports.
  const isLinted = (file: string, distance: number): boolean => distance === 0 || !file.includes('.svelte');
  const files = near.filter(([file, distance]) => isLinted(file, distance)).map(([file]) => file);
  return { files: files.filter((file) => existsSync(join(ROOT, file))) };
}

async function runAffectedTests(
  changed: readonly string[],
  importers: Imports['importers'],
  all: boolean,
): Promise<string | null> {
  const { unit: affected, processes } = affectedTests(changed, importers);
  const unit = existing(affected);
  if (processes.length > 0) console.log(['affected tests that only npm test runs:', ...processes].join('\n  '));
  const chosen = all ? unit : unit.slice(0, MOST_TESTS);
  const skipped = unit.length - chosen.length;
  if (skipped > 0)
    console.log(`skipped ${String(skipped)} unit test files farther from the change (-- --all runs them)`);
  if (chosen.length === 0) return null;
  const args = ['run', '--reporter=dot', '--passWithNoTests', ...selectProjects(chosen), ...chosen];
  const ran = await runTool('vitest/vitest.mjs', args, { quiet: true });
  return ran.code === 0 ? null : ran.output;
}

function seconds(from: number): string {
  return ((performance.now() - from) / 1000).toFixed(1);
}

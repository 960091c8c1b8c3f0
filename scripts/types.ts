import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { PAGE } from './packages.ts';
import { ROOT, runTool, TSC } from './run.ts';

type TypeOptions = {
  /** Stores the results on disk, so that the next check covers only changes. */
  incremental?: boolean;
};

/** Checks the types of everything but the page. Returns the errors, or null. */
export async function checkTypes({ incremental = false }: TypeOptions = {}): Promise<string | null> {
  const cached = incremental ? ['--incremental', '--tsBuildInfoFile', '.cache/types.tsbuildinfo'] : [];
  const args = ['--noEmit', '-p', 'tsconfig.json', '--checkers', '1', ...cached];
  const ran = await runTool(TSC, args, { quiet: true });
  return ran.code === 0 ? null : ran.output;
}

/** Generates SvelteKit's route types, which lint, tests and the type check of the page need. */
export async function preparePage(): Promise<string | null> {
  const ran = await runTool('@sveltejs/kit/svelte-kit.js', ['sync'], { cwd: join(ROOT, PAGE), quiet: true });
  return ran.code === 0 ? null : ran.output;
}

/** Generates them if they are missing; npm removes the base of the page's tsconfig.json. */
export async function ensurePagePrepared(): Promise<string | null> {
  return existsSync(join(ROOT, PAGE, 'node_modules', '$app', 'tsconfig.json')) ? null : preparePage();
}

/** Checks the types of the page and its components. A full check with TypeScript 7 is faster than an incremental one with TypeScript 6. */
export async function checkPageTypes(): Promise<string | null> {
  const cwd = join(ROOT, PAGE);
  const args = ['--fail-on-warnings', '--tsconfig', './tsconfig.json', '--output', 'human', '--tsgo-experimental-api'];
  const ran = await runTool('svelte-check/bin/svelte-check', args, { cwd, quiet: true });
  return ran.code === 0 ? null : ran.output;
}

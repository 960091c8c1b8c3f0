import { globSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lintComponents } from './lint-components.ts';
import { ROOT, runTool } from './run.ts';
import { toolCache } from './tool-cache.ts';
import { ensurePagePrepared } from './types.ts';

export type LintOptions = {
  /** The folder with the sources and the configuration of both linters. */
  cwd?: string;
  fix?: boolean;
  /** By default all. */
  files?: readonly string[];
};

const OXLINT_FILES = /\.ts$/;
/** oxlint supports neither component markup nor rules about runes. */
const ESLINT_FILES = /\.svelte(\.ts)?$/;
const ALL_ESLINT_FILES = ['packages/web/src/**/*.svelte', 'packages/web/src/**/*.svelte.ts'];

/** Lints the sources. Returns the findings, or null. */
export async function lint({ cwd = ROOT, fix = false, files }: LintOptions = {}): Promise<string | null> {
  const unprepared = cwd === ROOT ? await ensurePagePrepared() : null;
  if (unprepared !== null) return unprepared;
  const fixing = fix ? ['--fix'] : [];
  const runs: ReturnType<typeof runTool>[] = [];
  const sources = files?.filter((file) => OXLINT_FILES.test(file)) ?? [];
  if (files === undefined || sources.length > 0) {
    const args = ['--format=unix', '--disable-nested-config', '--no-error-on-unmatched-pattern', ...fixing, ...sources];
    runs.push(runTool('oxlint/bin/oxlint', args, { cwd, quiet: true }));
  }
  const components = files?.filter((file) => ESLINT_FILES.test(file)) ?? globSync(ALL_ESLINT_FILES, { cwd });
  if (components.length > 0) {
    const args = ['--max-warnings', '0', ...(cwd === ROOT ? cacheOfComponents() : []), ...fixing, ...components];
    runs.push(runTool('eslint/bin/eslint.js', args, { cwd, quiet: true }));
  }
  const promises = components.length > 0 ? await lintComponents(cwd) : null;
  const failed = (await Promise.all(runs)).flatMap(({ code, output }) => (code === 0 ? [] : [output]));
  const found = promises === null ? failed : [...failed, promises];
  return found.length === 0 ? null : found.map((output) => output.trim()).join('\n\n');
}

/** Only components that changed are linted: no rule reads another file. */
function cacheOfComponents(): string[] {
  return ['--cache', '--cache-strategy', 'content', '--cache-location', toolCache('eslint')];
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { fix: { type: 'boolean', default: false } } });
  const wrong = await lint({ fix: values.fix });
  if (wrong !== null) console.error(wrong);
  process.exitCode = wrong === null ? 0 : 1;
}

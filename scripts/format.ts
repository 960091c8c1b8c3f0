import { parseArgs } from 'node:util';
import { ROOT, runTool } from './run.ts';
import { toolCache } from './tool-cache.ts';

export type FormatOptions = {
  /** Formats files instead of listing them. */
  write?: boolean;
  /** By default every file of the repository. */
  files?: readonly string[];
};

/** oxfmt does not support Svelte components; Prettier formats them. */
const COMPONENT = /\.svelte$/;
const ALL_COMPONENTS = ['packages/web/**/*.svelte'];

/** Checks or writes the formatting. Returns the unformatted files, or null. */
export async function format({ write = false, files }: FormatOptions = {}): Promise<string | null> {
  const components = files?.filter((file) => COMPONENT.test(file)) ?? ALL_COMPONENTS;
  const others = files?.filter((file) => !COMPONENT.test(file)) ?? [];
  const runs: ReturnType<typeof runTool>[] = [];
  if (files === undefined || others.length > 0) {
    const args = [write ? '--write' : '--check', '--no-error-on-unmatched-pattern', ...others];
    runs.push(runTool('oxfmt/bin/oxfmt', args, { cwd: ROOT, quiet: true }));
  }
  if (components.length > 0) {
    const how = [write ? '--write' : '--check', '--log-level=warn', '--ignore-unknown'];
    const cached = ['--cache', '--cache-strategy', 'content', '--cache-location', toolCache('prettier')];
    const args = [...how, ...cached, ...components];
    runs.push(runTool('prettier/bin/prettier.cjs', args, { cwd: ROOT, quiet: true }));
  }
  const failed = (await Promise.all(runs)).filter(({ code }) => code !== 0);
  return failed.length === 0 ? null : failed.map(({ output }) => output.trim()).join('\n');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const wrong = await format({ write: !values.check });
  if (wrong !== null) console.error(wrong);
  process.exitCode = wrong === null ? 0 : 1;
}

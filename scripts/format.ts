import { createHash } from 'node:crypto';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import { ROOT, runTool } from './run.ts';
import { toolCache } from './tool-cache.ts';

/** Checks or writes the formatting of the repository. Returns the unformatted files, or null. */
export async function format({ write = false } = {}): Promise<string | null> {
  const how = [write ? '--write' : '--check', '--no-error-on-unmatched-pattern'];
  const runs = [await runTool('oxfmt/bin/oxfmt', [...how, '.', '!**/*.svelte'], { quiet: true })];
  // Components take ten seconds: those that were found formatted are skipped.
  const cache = join(ROOT, toolCache('oxfmt'));
  const known = new Set(existsSync(cache) ? readFileSync(cache, 'utf8').split('\n') : []);
  const components = globSync('packages/web/src/**/*.svelte', { cwd: ROOT });
  const changed = components.filter((file) => !known.has(hashFile(file)));
  if (changed.length > 0) runs.push(await runTool('oxfmt/bin/oxfmt', [...how, ...changed], { quiet: true }));
  const failed = runs.filter(({ code }) => code !== 0);
  if (failed.length > 0) return failed.map(({ output }) => output.trim()).join('\n');
  mkdirSync(dirname(cache), { recursive: true });
  writeFileSync(cache, components.map(hashFile).join('\n'));
  return null;
}

function hashFile(file: string): string {
  const hash = createHash('sha256');
  for (const each of ['.oxfmtrc.json', file]) hash.update(readFileSync(join(ROOT, each)));
  return hash.digest('hex');
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  const wrong = await format({ write: !values.check });
  if (wrong !== null) console.error(wrong);
  process.exitCode = wrong === null ? 0 : 1;
}

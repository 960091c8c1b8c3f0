import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT, runNpm } from './run.ts';

export const BENCH = join(ROOT, 'bench');
const STAMP = join(BENCH, 'node_modules', '.toolyard-installed');

/** Every TypeScript file at the top of bench/ is a benchmark, except the configuration of tools. */
export function benchmarks(): string[] {
  return readdirSync(BENCH)
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.config.ts'))
    .map((name) => name.slice(0, -'.ts'.length));
}

/** Installs the packages Toolyard is compared with, once per state of their lock file. Returns false on failure. */
export async function installPeers(): Promise<boolean> {
  const stamp = createHash('sha256')
    .update(readFileSync(join(BENCH, 'package-lock.json')))
    .digest('hex');
  if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === stamp) return true;

  console.error('bench: installing the packages Toolyard is compared with (about half a minute) ...');
  const { code, output } = await runNpm(['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: BENCH,
    // stdout is for the figures.
    quiet: true,
  });
  if (code !== 0) {
    console.error(`${output}\nbench: cannot install the packages; see the error above.`);
    return false;
  }
  writeFileSync(STAMP, stamp);
  return true;
}

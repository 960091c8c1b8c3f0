import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** Everything that is downloaded or written, except the report. */
const CACHE = join(ROOT, '.cache', 'peers');
export const REPORT = join(ROOT, 'docs', 'peers.md');
export const RESULTS = cached('results.json');
/** Private home folders of sandboxed servers: what `npx` and `uvx` downloaded. */
export const SANDBOXES = cached('sandboxes');
/** The commit of this file fixes the versions of all Python packages. */
export const REQUIREMENTS = fileURLToPath(new URL('./requirements', import.meta.url));

/** A path below the cache folder. */
export function cached(...names: readonly string[]): string {
  return join(CACHE, ...names);
}

/** The same as a folder, made if it is missing. */
export function cachedFolder(...names: readonly string[]): string {
  const folder = cached(...names);
  mkdirSync(folder, { recursive: true });
  return folder;
}

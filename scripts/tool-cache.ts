import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from './run.ts';

/**
 * Where a tool keeps its results for unchanged files. Another place for other versions: caches do not know those of plugins.
 */
export function toolCache(tool: string): string {
  const versions = createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex');
  return join('.cache', tool, versions.slice(0, 16));
}

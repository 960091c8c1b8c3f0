import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Manifest, ManifestEntry } from './first-load.ts';
import { firstLoad } from './first-load.ts';

export const PAGE = join(import.meta.dirname, '..');

export function readManifest(client: string): Manifest {
  return JSON.parse(readFileSync(join(client, '.vite', 'manifest.json'), 'utf8')) as Manifest;
}

/**
 * SvelteKit numbers the nodes of its routes; each number is a file that imports its node. The error page is loaded with
 * every route. A new chat and `/c/[id]` are counted together because users move from one to the other.
 */
export function isPartOfChat(key: string): boolean {
  return (
    /\/nodes\/\d+\.js$/.test(key) &&
    /routes\/(\+layout|\+error|\(chat\)\/(\+layout|\+page|c\/\[id\]\/\+page))\./.test(
      readFileSync(join(PAGE, key), 'utf8'),
    )
  );
}

/** The scripts of the chat's routes. */
export function chatScripts(manifest: Manifest): ManifestEntry[] {
  return firstLoad(manifest, Object.keys(manifest).filter(isPartOfChat));
}

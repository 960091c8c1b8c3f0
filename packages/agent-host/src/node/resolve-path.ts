import { lstatSync, readlinkSync } from 'node:fs';

/** More links than this count as a loop, as in operating systems. */
const MAX_LINKS = 40;
const MOST_PARTS = 1_000;

/**
 * Resolves the symbolic links of a path as the system would: `..` is relative to the target of a link. The last
 * segments need not exist. Undefined for a relative path, a loop of links, and unreadable folders.
 *
 * @example
 * resolvePath('/tmp/../etc'); // '/etc'
 * resolvePath('relative'); // undefined
 */
export function resolvePath(path: string): string | undefined {
  if (process.platform === 'win32' || !path.startsWith('/')) return undefined;
  const open = path.split('/').reverse();
  const done: string[] = [];
  let links = 0;
  for (let steps = 0; open.length > 0; steps++) {
    if (steps > MOST_PARTS) return undefined;
    const part = open.pop() ?? '';
    if (part === '..') done.pop();
    if (part === '' || part === '.' || part === '..') continue;
    done.push(part);
    const current = `/${done.join('/')}`;
    try {
      if (lstatSync(current, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
      if (++links > MAX_LINKS) return undefined;
      const target = readlinkSync(current);
      if (target.startsWith('/')) done.length = 0;
      else done.pop();
      open.push(...target.split('/').reverse());
    } catch (error) {
      // A path through a file is invalid.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOTDIR')) return undefined;
    }
  }
  return `/${done.join('/')}`;
}

import { lstatSync, readlinkSync } from 'node:fs';

/** More links than this are taken for a circle, as systems do. */
const MOST_LINKS = 40;
const MOST_PARTS = 1_000;

/**
 * Resolves the symbolic links of a whole path the way the system would open it: `..` goes up from where a link leads. The
 * last parts need not exist. Undefined for a relative path, a circle of links, and what may not be read.
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
    const here = `/${done.join('/')}`;
    try {
      if (lstatSync(here, { throwIfNoEntry: false })?.isSymbolicLink() !== true) continue;
      if (++links > MOST_LINKS) return undefined;
      const target = readlinkSync(here);
      if (target.startsWith('/')) done.length = 0;
      else done.pop();
      open.push(...target.split('/').reverse());
    } catch (error) {
      // A path through a file leads nowhere.
      if (!(error instanceof Error && 'code' in error && error.code === 'ENOTDIR')) return undefined;
    }
  }
  return `/${done.join('/')}`;
}

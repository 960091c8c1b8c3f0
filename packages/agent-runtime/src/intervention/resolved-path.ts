import { decodePath } from './sensitive-paths.ts';
import { hasUnknown } from './shell-text.ts';

/**
 * Resolves symbolic links: the real path of an absolute path, whose last parts need not exist. Undefined if it cannot be
 * resolved.
 */
export type ResolvePath = (path: string) => string | undefined;

export type PathOptions = { workingFolder?: string | undefined; resolvePath?: ResolvePath | undefined };

/** What a text may mean as a path. `unresolved`: at least one meaning is not known. */
export type PathCandidates = { paths: readonly string[]; unresolved: boolean };

const LONGEST = 4_096;

/** A server may expand variables of the environment: where such a path leads is not known. */
const VARIABLE = /\$[\w{(]|%[A-Za-z_]\w*%/;

/** Every place a text may stand for: as it is, as a file URL, with escapes decoded, with backslashes as slashes. */
export function pathCandidates(text: string, options: PathOptions): PathCandidates {
  if (text.length > LONGEST || hasUnknown(text) || VARIABLE.test(text)) return { paths: [], unresolved: true };
  const written = new Set<string>();
  const url = /^file:(?:\/\/([^/]*))?(.*)$/is.exec(text);
  if (url) {
    if (url[1] !== undefined && url[1] !== '' && url[1] !== 'localhost') return { paths: [], unresolved: true };
    written.add(url[2] ?? '');
  } else if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text)) return { paths: [], unresolved: true };
  else written.add(text);
  // What is added is visited, too: a path may have been encoded more than once.
  for (const each of written) {
    if (each.includes('%')) {
      written.add(decodePath(each));
      // A file URL is always decoded.
      if (url && decodePath(each) !== each) written.delete(each);
    }
    if (each.includes('\\')) written.add(each.replaceAll('\\', '/'));
  }
  const readings = [...written].map((each) => resolveOne(each, options));
  return { paths: readings.flatMap((each) => each ?? []), unresolved: readings.includes(undefined) };
}

function resolveOne(path: string, { workingFolder, resolvePath }: PathOptions): string[] | undefined {
  if (/^(?:~|\/proc\/|\/dev\/fd\/)/.test(path) || path.includes('\0')) return undefined;
  const isWhole = /^\/|^[A-Za-z]:[\\/]/.test(path);
  if (!isWhole && workingFolder === undefined) return undefined;
  const whole = isWhole ? path : `${workingFolder ?? ''}/${path}`;
  const normal = lexical(whole);
  if (resolvePath === undefined) return [normal];
  // A program may remove `..` before it opens the path, or leave it to the system.
  const real = (whole === normal ? [normal] : [whole, normal]).map(resolvePath);
  return real.includes(undefined) ? undefined : real.map((each) => each ?? '');
}

/** True for a path in a folder, or the folder itself. */
export function isInFolder(path: string, folder: string, resolvePath?: ResolvePath): boolean {
  const normal = lexical(folder);
  const home = (resolvePath?.(normal) ?? normal).replace(/\/$/, '');
  return path === home || path.startsWith(`${home}/`);
}

/** Without `.`, `..` and slashes in a row. */
function lexical(path: string): string {
  const drive = /^[A-Za-z]:/.exec(path)?.[0] ?? '';
  const parts: string[] = [];
  for (const part of path
    .slice(drive.length)
    .replaceAll(drive === '' ? '/' : '\\', '/')
    .split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `${drive}/${parts.join('/')}`;
}

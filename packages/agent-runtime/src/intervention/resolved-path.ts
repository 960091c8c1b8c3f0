import { foldText } from '@toolyard/protocol';
import { decodePath, normalPath } from './sensitive-paths.ts';
import { hasUnknown } from './shell-text.ts';

/**
 * Resolves symbolic links: the real path of an absolute path whose last segments need not exist. Undefined if it cannot
 * be resolved.
 */
export type ResolvePath = (path: string) => string | undefined;

export type PathOptions = { workingFolder?: string | undefined; resolvePath?: ResolvePath | undefined };

/** The paths that a text may mean. `unresolved`: at least one meaning is unknown. */
export type PathCandidates = { paths: readonly string[]; unresolved: boolean };

const MAX_LENGTH = 4_096;

/** A server may expand environment variables: the target of such a path is unknown. */
const VARIABLE = /\$[\w{(]|%[A-Za-z_]\w*%|`/;
/** A path may follow an option, a quote or another mark. */
const MARKED = /^(?:-{1,2}[\w-]*=?|["'@<>(=\s]+)(?=[/~\\]|[A-Za-z]:[\\/])/;

/**
 * All readings of a text as a path: unchanged, as a file URL, after an option, with escapes decoded, with backslashes as
 * slashes, in the spellings that file systems take for the same name.
 */
export function pathCandidates(text: string, options: PathOptions): PathCandidates {
  if (text.length > MAX_LENGTH || hasUnknown(text) || VARIABLE.test(text)) return { paths: [], unresolved: true };
  const written = new Set<string>();
  const url = /^file:(?:\/\/([^/]*))?(.*)$/is.exec(text);
  if (url) {
    if (url[1] !== undefined && url[1] !== '' && url[1] !== 'localhost') return { paths: [], unresolved: true };
    written.add(url[2] ?? '');
  } else if (/^[a-z][a-z0-9+.-]+:\S/i.test(text)) return { paths: [], unresolved: true };
  else written.add(text);
  // Iterates over added entries as well: a path may be encoded more than once.
  for (const each of written) {
    if (each.includes('%')) {
      written.add(decodePath(each));
      // A file URL is always decoded.
      if (url && decodePath(each) !== each) written.delete(each);
    }
    if (each.includes('\\')) written.add(each.replaceAll('\\', '/'));
    if (/[^ -~]/.test(each)) for (const same of [foldText(each), each.normalize('NFD')]) written.add(same);
    if (MARKED.test(each)) written.add(each.replace(MARKED, ''));
  }
  const readings = [...written].map((each) => resolveOne(each, options));
  return { paths: readings.flatMap((each) => each ?? []), unresolved: readings.includes(undefined) };
}

function resolveOne(path: string, { workingFolder, resolvePath }: PathOptions): string[] | undefined {
  if (/^(?:~|\/proc\/|\/dev\/fd\/|[A-Za-z]:(?![\\/]))/.test(path) || path.includes('\0')) return undefined;
  const isWhole = /^\/|^[A-Za-z]:[\\/]/.test(path);
  if (!isWhole && workingFolder === undefined) return undefined;
  const whole = isWhole ? path : `${workingFolder ?? ''}/${path}`;
  const normal = lexical(whole);
  if (resolvePath === undefined) return [normal];
  // A program may resolve `..` before it opens the path, or leave that to the system.
  const real = (whole === normal ? [normal] : [whole, normal]).map(resolvePath);
  return real.includes(undefined) ? undefined : real.map((each) => each ?? '');
}

/**
 * Tells for a resolved path whether it is in a folder, or the folder itself. Of the candidates of a text only the first
 * must be spelled like the folder.
 */
export function createFolderMatcher(
  folder: string,
  resolvePath?: ResolvePath,
): (path: string, index: number) => boolean {
  const normal = lexical(folder);
  const home = (resolvePath?.(normal) ?? normal).replace(/\/$/, '');
  const isIn = (path: string, inner: string): boolean => path === inner || path.startsWith(`${inner}/`);
  return (path, index) => isIn(path, home) || (index > 0 && isIn(foldText(path), foldText(home)));
}

/** An absolute path without `.`, `..` and repeated slashes. */
function lexical(path: string): string {
  const drive = /^[A-Za-z]:/.exec(path)?.[0] ?? '';
  if (drive === '') return normalPath(path);
  return drive + normalPath(`/${path.slice(2).replaceAll('\\', '/')}`);
}

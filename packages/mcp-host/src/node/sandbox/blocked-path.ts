import type { SandboxProfile } from './profile.ts';
import { isVisible } from './profile.ts';

const REFUSED =
  /ENOENT|EACCES|EROFS|EPERM|No such file|Cannot find|cannot open|Permission denied|Read-only file system|not found/i;
const PATH = /(?:^|[\s'"`(:=])(\/[^\s'"`():,]+)/g;

/** Per line: each path costs a look-up on the disk, and a server may write many. */
const MAX_PATHS = 5;

/**
 * The path that a line of standard error reports as inaccessible although it exists outside of the sandbox, so that the
 * user can allow it. The sandbox itself reports nothing: a hidden file looks like a missing one.
 *
 * @param exists whether a path exists outside
 */
export function blockedPath(
  line: string,
  profile: SandboxProfile,
  exists: (path: string) => boolean,
): string | undefined {
  if (!REFUSED.test(line)) return undefined;
  const isReadOnly = /EROFS|EACCES|Permission denied|Read-only/i.test(line);
  return [...line.matchAll(PATH)]
    .slice(0, MAX_PATHS)
    .map(([, path = '']) => path.replace(/[.;]+$/, ''))
    .find((path) => !isVisible(profile, path, isReadOnly ? 'write' : 'read') && exists(path));
}

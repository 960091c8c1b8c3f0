import type { SandboxProfile } from './profile.ts';
import { isVisible } from './profile.ts';

const REFUSED =
  /ENOENT|EACCES|EROFS|EPERM|No such file|Cannot find|cannot open|Permission denied|Read-only file system|not found/i;
const PATH = /(?:^|[\s'"`(:=])(\/[^\s'"`():,]+)/g;

/** Of a line: each is looked up on the disk, and a server may write many. */
const MOST_PATHS = 5;

/**
 * The path that a line of standard error complains about and that is there outside of the sandbox: what a person may want
 * to allow. A sandbox reports nothing itself: a hidden file looks like one that does not exist.
 *
 * @param exists whether a path is there outside
 */
export function blockedPath(
  line: string,
  profile: SandboxProfile,
  exists: (path: string) => boolean,
): string | undefined {
  if (!REFUSED.test(line)) return undefined;
  const isReadOnly = /EROFS|EACCES|Permission denied|Read-only/i.test(line);
  return [...line.matchAll(PATH)]
    .slice(0, MOST_PATHS)
    .map(([, path = '']) => path.replace(/[.;]+$/, ''))
    .find((path) => !isVisible(profile, path, isReadOnly ? 'write' : 'read') && exists(path));
}

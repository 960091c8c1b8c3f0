import type { Stats } from 'node:fs';
import { chmodSync, statSync } from 'node:fs';

/**
 * Sets the mode of an existing file to 0600, so that no other user of the machine can read it. Windows has no modes:
 * there the data folder is in the profile of its user.
 *
 * @returns what the mode was: 'private' or 'changed'; 'absent' if there is no such file, or none that can be reached
 * @throws the error of the system if the mode cannot be changed, for example for a file of another user
 */
export function makePrivate(file: string): 'private' | 'changed' | 'absent' {
  const found = readStat(file);
  if (found?.isFile() !== true) return 'absent';
  if (process.platform === 'win32' || (found.mode & 0o077) === 0) return 'private';
  chmodSync(file, 0o600);
  return 'changed';
}

/** The later read of the file reports why it is not accessible. */
function readStat(file: string): Stats | undefined {
  try {
    return statSync(file);
  } catch {
    return undefined;
  }
}

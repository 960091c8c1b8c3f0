import { accessSync, constants, readFileSync, statfsSync } from 'node:fs';
import { freemem } from 'node:os';

const SHARED_MEMORY = '/dev/shm';

/** More than the maximum size of the temporary files of a test run. */
const NEEDED_BYTES = 3 * 2 ** 30;

/**
 * A folder in memory for temporary files; on disk, tests take a fifth longer. Undefined without one, if it is too
 * small or mounted with `noexec` (containers), or if `TMPDIR` is set.
 */
export function memoryFolder(): string | undefined {
  if (process.platform !== 'linux' || process.env['TMPDIR'] !== undefined) return undefined;
  try {
    accessSync(SHARED_MEMORY, constants.W_OK | constants.X_OK);
    const { bavail, bsize } = statfsSync(SHARED_MEMORY);
    const roomy = bavail * bsize > NEEDED_BYTES && freemem() > 2 * NEEDED_BYTES;
    return roomy && !forbidsPrograms(readFileSync('/proc/mounts', 'utf8')) ? SHARED_MEMORY : undefined;
  } catch {
    return undefined;
  }
}

/** Whether the folder is mounted with `noexec`; `mounts` is the text of `/proc/mounts`. */
function forbidsPrograms(mounts: string): boolean {
  const mounted = mounts
    .split('\n')
    .map((line) => line.split(' '))
    .findLast(([, folder]) => folder === SHARED_MEMORY);
  return mounted === undefined || (mounted[3] ?? '').split(',').includes('noexec');
}

import { readdirSync, readFileSync } from 'node:fs';

/** The variable by which the processes of one peer are recognised, also grandchildren in groups of their own. */
export const MARKER = 'TOOLYARD_PEER';

/** The command lines of processes that carry this marker; null where the system does not tell (Linux does). */
export function processesLeft(marker: string): string[] | null {
  if (process.platform !== 'linux') return null;
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        const variables = readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
        return variables.includes(`${MARKER}=${marker}`) ? [readFileSync(`/proc/${pid}/cmdline`, 'utf8')] : [];
      } catch {
        // It has exited, or belongs to another user.
        return [];
      }
    });
}

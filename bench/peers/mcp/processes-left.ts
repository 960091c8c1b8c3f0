import { readdirSync, readFileSync } from 'node:fs';

/** Environment variable that marks all processes of a peer, including grandchildren in other process groups. */
export const MARKER = 'TOOLYARD_PEER';

/** Command lines of processes with this marker; null except on Linux. */
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

import { readdirSync, readFileSync } from 'node:fs';

/**
 * Whether any process of a group still runs. A zombie still belongs to its group, in a container perhaps forever if its
 * first process does not reap orphans. On Linux zombies are recognized; elsewhere they count as running.
 */
export function groupRuns(pgid: number): boolean {
  if (!groupExists(pgid)) return false;
  if (process.platform !== 'linux') return true;
  try {
    return readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isRunningMember(entry, pgid));
  } catch {
    return true;
  }
}

/** The cheap check: does the group have any member, running or zombie? */
export function groupExists(pgid: number): boolean {
  try {
    process.kill(-pgid, 0);
    return true;
  } catch {
    return false;
  }
}

function isRunningMember(pid: string, pgid: number): boolean {
  try {
    // "pid (name) state parent group ...", and a name may contain spaces and parentheses.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === pgid && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

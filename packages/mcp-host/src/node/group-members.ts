import { readdirSync, readFileSync } from 'node:fs';

/**
 * Whether any process of a group still runs. A process that has ended but that nobody has collected still belongs to
 * its group (in a container this may last for ever, when its first process collects no orphans): on Linux it is seen
 * for what it is; elsewhere it counts as running.
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

/** The cheap question: is there anything, running or not, that a signal to the group would go to? */
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
    // "pid (name) state parent group ...", and a name may hold spaces and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return Number(group) === pgid && state !== 'Z' && state !== 'X';
  } catch {
    return false;
  }
}

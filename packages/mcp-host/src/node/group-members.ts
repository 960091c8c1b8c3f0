import { readdirSync } from 'node:fs';
import { readText, tryTo } from './system-files.ts';

/**
 * Whether any process of a group still runs. A zombie still belongs to its group, in a container perhaps forever if its
 * first process does not reap orphans. On Linux zombies are recognized; elsewhere they count as running.
 */
export function groupRuns(pgid: number): boolean {
  if (!groupExists(pgid)) return false;
  if (process.platform !== 'linux') return true;
  return tryTo(() => readdirSync('/proc').some((entry) => /^\d+$/.test(entry) && isRunningMember(entry, pgid)), true);
}

/** The cheap check: does the group have any member, running or zombie? */
export function groupExists(pgid: number): boolean {
  return tryTo(() => process.kill(-pgid, 0), false);
}

function isRunningMember(pid: string, pgid: number): boolean {
  // "pid (name) state parent group ...", and a name may contain spaces and parentheses.
  const stat = readText(`/proc/${pid}/stat`);
  const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return Number(group) === pgid && state !== 'Z' && state !== 'X';
}

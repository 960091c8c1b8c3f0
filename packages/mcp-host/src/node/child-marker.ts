import { randomBytes } from 'node:crypto';
import type { Clock } from '@toolyard/protocol';
import type { OwnProcess } from './process-table.ts';
import { findParent, processesWith, processNamespace, findStart } from './process-table.ts';
import { pause } from '@toolyard/protocol';

/**
 * Set in the environment of every local server and inherited by its descendants: namespace, pid and start time of the
 * owning Toolyard process, and a unique number. It identifies processes that have left their process group.
 */
export const MARKER_VARIABLE = 'TOOLYARD_CHILD_OF';

/** How long processes get between SIGTERM and SIGKILL, and again after SIGKILL, in milliseconds. */
const EXIT_WAIT_MS = 1_000;
const POLL_MS = 50;

let own: string | undefined;

/** A marker for another child of this process; undefined if the system does not show environments. */
export function newMarker(): string | undefined {
  own ??= findOwner(process.pid);
  return own === undefined ? undefined : `${own}:${randomBytes(6).toString('hex')}`;
}

function findOwner(pid: number): string | undefined {
  const [namespace, started] = [processNamespace(), findStart(pid)];
  return namespace === undefined || started === undefined ? undefined : `${namespace}:${pid}:${started}`;
}

/** The processes with one of these markers. */
export function findMarkedProcesses(markers: readonly string[]): OwnProcess[] {
  if (markers.length === 0) return [];
  return processesWith(`${MARKER_VARIABLE}=`).filter((entry) => markers.includes(getMarker(entry)));
}

/**
 * Processes with the marker of a Toolyard process that no longer exists because it was killed. Never a process of
 * another user or namespace, this process, or one of its ancestors.
 */
function findOrphans(): OwnProcess[] {
  const namespace = processNamespace();
  return processesWith(`${MARKER_VARIABLE}=`).filter((entry) => {
    const [of, pid = '', started] = getMarker(entry).split(':');
    if (of !== namespace || !/^\d+$/.test(pid) || started === undefined) return false;
    return findStart(Number(pid)) !== started && !isAncestor(entry.pid);
  });
}

/**
 * Kills the processes left behind by local servers of killed Toolyard processes. Returns their pids.
 *
 * @example
 * const pids = await killOrphans(systemClock);
 * if (pids.length > 0) console.log(`killed ${pids.join(', ')}`);
 */
export async function killOrphans(clock: Clock): Promise<number[]> {
  const found = findOrphans();
  await terminateAll(findOrphans, clock);
  return found.map(({ pid }) => pid);
}

/**
 * Sends SIGTERM to all found processes, and SIGKILL to the remaining ones a second later. Resolves when none is left.
 */
export async function terminateAll(find: () => OwnProcess[], clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const start = clock.monotonic();
    let running = find();
    for (const entry of running) signalTo(entry, signal);
    while (running.length > 0 && clock.monotonic() - start < EXIT_WAIT_MS) {
      await pause(clock, POLL_MS);
      running = find();
    }
    if (running.length === 0) return;
  }
}

/** Signals this process only, not another one that reused its pid. */
export function signalTo({ pid, started }: OwnProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (findStart(pid) !== started) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It went in the meantime.
  }
}

function getMarker(entry: OwnProcess): string {
  return entry.variable(MARKER_VARIABLE) ?? '';
}

/** A process started by a server (by a model in a terminal, for example) carries a marker itself. */
function isAncestor(pid: number): boolean {
  for (let each: number | undefined = process.pid; each !== undefined && each > 0; each = findParent(each)) {
    if (each === pid) return true;
  }
  return false;
}

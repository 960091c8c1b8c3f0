import { randomBytes } from 'node:crypto';
import type { Clock } from '@toolyard/protocol';
import type { OwnProcess } from './process-table.ts';
import { parentOf, processesWith, processNamespace, startOf } from './process-table.ts';

/**
 * In the environment of every local server, and so of all that it starts: namespace, number and start time of the
 * process of Toolyard it belongs to, and a number of its own. What leaves its process group is still found by it.
 */
export const MARKER_VARIABLE = 'TOOLYARD_CHILD_OF';

/** How long processes are given between SIGTERM and SIGKILL, and after that, in milliseconds. */
const PATIENCE_MS = 1_000;
const POLL_MS = 50;

let own: string | undefined;

/** A marker for one more child of this process; undefined where the system shows no environments. */
export function newMarker(): string | undefined {
  own ??= ownerOf(process.pid);
  return own === undefined ? undefined : `${own}:${randomBytes(6).toString('hex')}`;
}

function ownerOf(pid: number): string | undefined {
  const [namespace, started] = [processNamespace(), startOf(pid)];
  return namespace === undefined || started === undefined ? undefined : `${namespace}:${pid}:${started}`;
}

/** The processes with one of these markers. */
export function findMarkedProcesses(markers: readonly string[]): OwnProcess[] {
  if (markers.length === 0) return [];
  return processesWith(`${MARKER_VARIABLE}=`).filter((entry) => markers.includes(markerOf(entry)));
}

/**
 * What processes of Toolyard have left behind that exist no longer, because they were killed: all that carries their
 * marker. Never a process of another user or namespace, this process, or one that it descends from.
 */
function findOrphans(): OwnProcess[] {
  const namespace = processNamespace();
  return processesWith(`${MARKER_VARIABLE}=`).filter((entry) => {
    const [of, pid = '', started] = markerOf(entry).split(':');
    if (of !== namespace || !/^\d+$/.test(pid) || started === undefined) return false;
    return startOf(Number(pid)) !== started && !isAncestor(entry.pid);
  });
}

/** Ends the processes that local servers of killed processes of Toolyard left behind. Gives their numbers. */
export async function killOrphans(clock: Clock): Promise<number[]> {
  const found = findOrphans();
  await terminateAll(findOrphans, clock);
  return found.map(({ pid }) => pid);
}

/** SIGTERM to all that is found, and SIGKILL to what is left of it a second later. Resolves when nothing is left. */
export async function terminateAll(find: () => OwnProcess[], clock: Clock): Promise<void> {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const start = clock.monotonic();
    let left = find();
    for (const entry of left) signalTo(entry, signal);
    while (left.length > 0 && clock.monotonic() - start < PATIENCE_MS) {
      await new Promise<void>((resolve) => void clock.after(POLL_MS, resolve));
      left = find();
    }
    if (left.length === 0) return;
  }
}

/** To this process and to no other that was given its number in the meantime. */
export function signalTo({ pid, started }: OwnProcess, signal: 'SIGTERM' | 'SIGKILL'): void {
  if (startOf(pid) !== started) return;
  try {
    process.kill(pid, signal);
  } catch {
    // It went in the meantime.
  }
}

function markerOf(entry: OwnProcess): string {
  return entry.variable(MARKER_VARIABLE) ?? '';
}

/** One that was started by a server (by a model in a terminal, for example) carries a marker itself. */
function isAncestor(pid: number): boolean {
  for (let each: number | undefined = process.pid; each !== undefined && each > 0; each = parentOf(each)) {
    if (each === pid) return true;
  }
  return false;
}

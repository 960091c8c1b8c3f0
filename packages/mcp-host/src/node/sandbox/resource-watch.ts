import { setPriority } from 'node:os';
import type { Clock } from '@toolyard/protocol';
import type { ResourceLimits } from '../../host/resource-limits.ts';
import { unmappedMemory } from './files-in-memory.ts';
import { linkIn, namesIn, readText } from '../system-files.ts';

/** A limit that stops a process tree. `fileMb` is enforced by the system, see `limitedCommand`. */
export type OverLimit = { limit: 'memoryMb' | 'processes' | 'writtenMb' | 'fileMb'; value: number };

/** `SIGXFSZ`, as the exit code of a shell or of bubblewrap: a file became larger than the system allows. */
const FILE_TOO_LARGE_CODE = 128 + 25;

/** The limit of a file, if a sandboxed process ended because of it. */
export function findFileLimit(
  { code, signal }: { code: number | null; signal: string | null },
  limits: ResourceLimits | undefined,
): OverLimit | undefined {
  if (limits === undefined || (code !== FILE_TOO_LARGE_CODE && signal !== 'SIGXFSZ')) return undefined;
  return { limit: 'fileMb', value: limits.fileMb };
}

export type ResourceWatchOptions = {
  /** The first process of the sandbox. Its namespace keeps all descendants below it. */
  pid: number;
  limits: ResourceLimits;
  clock: Clock;
  onOver: (over: OverLimit) => void;
  /** Its processes have the lowest priority from now on. */
  onSlowed: () => void;
};

const MB = 1_048_576;
const TICKS_PER_SECOND = 100;
const POLL_MS = 1_000;
/** While any tree uses more than half of a limit. */
const NEAR_POLL_MS = 100;
/** CPU time and written bytes count within this time. */
const WINDOW_MS = 5 * 60_000;
const SAMPLE_MS = 10_000;
const LOWEST_PRIORITY = 19;

/** `folder`: where the system shows the process. */
type ProcessUse = { folder: string; cpuSeconds: number; memory: number };

/**
 * The rule: **a tree is charged with all that its processes use or used, and with nothing else.** `init` is the first
 * process of its namespace: it waits for all others, and has the sums of those that exited as orphans.
 */
type TreeUse = { first: number; init: ProcessUse[]; processes: ProcessUse[] };

/** Limits in the order of their report: too many processes also have too much memory. */
const STOPPING = ['processes', 'memoryMb', 'writtenMb'] as const;
type Sample = { at: number; cpuSeconds: number; written: number };

/**
 * Compares the use of sandboxed process trees with their limits, where the system does not limit whole trees (control
 * groups need rights that a user rarely has). Linux only. One timer serves all trees; a look costs as much as the sandbox has
 * processes, because its own `/proc` lists no others.
 */
export class ResourceWatch {
  static readonly #all = new Map<Clock, Set<ResourceWatch>>();

  readonly #options: ResourceWatchOptions;
  #samples: Sample[] = [];
  #isSlowed = false;

  private constructor(options: ResourceWatchOptions) {
    this.#options = options;
  }

  /** The returned function ends it. */
  static start(options: ResourceWatchOptions): () => void {
    if (process.platform !== 'linux') return () => undefined;
    const watch = new ResourceWatch(options);
    const { clock } = options;
    const known = ResourceWatch.#all.get(clock);
    if (known === undefined) {
      ResourceWatch.#all.set(clock, new Set([watch]));
      ResourceWatch.#schedule(clock, NEAR_POLL_MS);
    } else {
      known.add(watch);
    }
    return () => void ResourceWatch.#all.get(clock)?.delete(watch);
  }

  static #schedule(clock: Clock, ms: number): void {
    clock.after(ms, () => {
      const watches = ResourceWatch.#all.get(clock);
      if (watches === undefined || watches.size === 0) return void ResourceWatch.#all.delete(clock);
      const isNear = [...watches].map((watch) => watch.#check()).includes(true);
      ResourceWatch.#schedule(clock, isNear ? NEAR_POLL_MS : POLL_MS);
    });
  }

  /** True if more than half of a limit is used. */
  #check(): boolean {
    const { pid, limits, clock, onOver } = this.#options;
    const tree = usedBy(pid);
    if (tree === undefined) return true;
    const { first, init, processes } = tree;
    const folders = processes.map(({ folder }) => folder);
    const inFiles = unmappedMemory(first, folders, limits.memoryMb * MB);
    const used = {
      processes: processes.length,
      memoryMb: (processes.reduce((sum, { memory }) => sum + memory, 0) + inFiles) / MB,
      writtenMb: this.#rates(clock.monotonic(), [...init, ...processes]) / MB,
    };
    // Pages that processes share count once: a browser has dozens that share most of theirs.
    if (used.memoryMb > limits.memoryMb) used.memoryMb = (sharedOnce(processes) + inFiles) / MB;
    for (const limit of STOPPING) {
      if (used[limit] <= limits[limit]) continue;
      ResourceWatch.#all.get(clock)?.delete(this);
      onOver({ limit, value: limits[limit] });
      return false;
    }
    return STOPPING.some((limit) => used[limit] > limits[limit] / 2);
  }

  /** The bytes written within the window. Lowers the priority after a whole window above the limit of cores. */
  #rates(at: number, tree: readonly ProcessUse[]): number {
    const cpuSeconds = tree.reduce((sum, each) => sum + each.cpuSeconds, 0);
    const written = tree.reduce((sum, each) => sum + writtenBy(each.folder), 0);
    const last = this.#samples.at(-1);
    if (last === undefined || at - last.at >= SAMPLE_MS) this.#samples.push({ at, cpuSeconds, written });
    const [oldest, second] = this.#samples;
    if (second !== undefined && at - second.at >= WINDOW_MS) this.#samples.shift();
    if (oldest === undefined) return 0;
    const seconds = (at - oldest.at) / 1_000;
    const { pid, limits, onSlowed } = this.#options;
    if (
      !this.#isSlowed &&
      at - oldest.at >= WINDOW_MS &&
      (cpuSeconds - oldest.cpuSeconds) / seconds > limits.cpuCores
    ) {
      this.#isSlowed = true;
      for (const each of listDescendants(pid)) yieldToOthers(each);
      onSlowed();
    }
    // What was written before the first look counts too.
    return written - (this.#samples.length > 1 && seconds * 1_000 >= WINDOW_MS ? oldest.written : 0);
  }
}

/** The processes in the namespace of a sandbox; undefined until it exists. */
function usedBy(pid: number): TreeUse | undefined {
  const [first] = listChildren(pid);
  if (first === undefined) return undefined;
  const own = `/proc/${first}/root/proc`;
  // Until bubblewrap has changed the root of its first process, that is the `/proc` of the machine, which lists this
  // process too.
  const folders =
    linkIn(`${own}/self`) === ''
      ? namesIn(own).flatMap((name) => (/^\d+$/.test(name) && name !== '1' ? [`${own}/${name}`] : []))
      : listDescendants(first).map((each) => `/proc/${each}`);
  return { first, init: readUse(`/proc/${first}`), processes: folders.flatMap(readUse) };
}

function listDescendants(pid: number): number[] {
  const found = listChildren(pid);
  for (let at = 0; at < found.length; at++) found.push(...listChildren(found[at] ?? 0));
  return found;
}

function listChildren(pid: number): number[] {
  const lists = namesIn(`/proc/${pid}/task`).map((thread) => readText(`/proc/${pid}/task/${thread}/children`));
  return lists.flatMap((list) => list.split(' ').filter((each) => each !== '')).map(Number);
}

function readUse(folder: string): ProcessUse[] {
  const stat = readText(`${folder}/stat`);
  // "pid (name) state parent ...", and a name may contain spaces and parentheses.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  const number = (at: number): number => Number(fields[at] ?? 0);
  if (fields.length < 22) return [];
  // Its own time, and that of children that have exited.
  const ticks = number(11) + number(12) + number(13) + number(14);
  return [{ folder, cpuSeconds: ticks / TICKS_PER_SECOND, memory: number(21) * pageSize() }];
}

let knownPageSize: number | undefined;

function pageSize(): number {
  if (knownPageSize !== undefined) return knownPageSize;
  const pages = Number(readText('/proc/self/statm').split(' ')[1]);
  return (knownPageSize = pages > 0 ? 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages)) : 4_096);
}

function sharedOnce(tree: readonly ProcessUse[]): number {
  return tree.reduce((sum, { folder, memory }) => {
    const [, kilobytes] = /^Pss:\s+(\d+) kB/m.exec(readText(`${folder}/smaps_rollup`)) ?? [];
    return sum + (kilobytes === undefined ? memory : Number(kilobytes) * 1_024);
  }, 0);
}

/** The bytes that a process, and its children that have exited, sent to disks. */
function writtenBy(folder: string): number {
  const [, bytes = '0'] = /^write_bytes: (\d+)/m.exec(readText(`${folder}/io`)) ?? [];
  return Number(bytes);
}

/** Every thread has a priority of its own. */
function yieldToOthers(pid: number): void {
  for (const thread of namesIn(`/proc/${pid}/task`)) {
    try {
      setPriority(Number(thread), LOWEST_PRIORITY);
    } catch {
      // It has exited.
    }
  }
}

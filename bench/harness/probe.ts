// Loaded into the measured server with --import, so that the product needs no code for it. Answers messages of the bench.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { quantile } from './quantile.ts';
import { getHeapCodeStatistics, getHeapStatistics } from 'node:v8';

/** `begin` starts a window, `load` reports it, `memory` and `cpu` report the current values. */
export type OwnerToProbe = 'begin' | 'load' | 'memory' | 'cpu';

export type Load = {
  wallMs: number;
  /** User and system time of all threads. */
  cpuMs: number;
  /** Delay of a 10 ms timer. */
  delayMs: { median: number; p99: number; max: number };
  /**
   * The 99th percentile of the delay, without time in which the process was not scheduled: an upper bound of its own share.
   */
  ownDelayMs: number;
};

/** In MB. */
export type Memory = {
  rss: number;
  /** Resident file pages: the Node binary, shared with other Node processes. */
  files: number;
  heapUsed: number;
  heapTotal: number;
  /** Bytecode and machine code with metadata; part of the heap. */
  code: number;
  /** Buffers and other memory outside of the heap that V8 tracks. */
  external: number;
  /** Outside of V8: SQLite, sockets, TLS, allocator overhead. */
  native: number;
};

export type ProbeToOwner =
  | ({ type: 'load' } & Load)
  | ({ type: 'memory' } & Memory)
  | { type: 'cpu'; cpuMs: number }
  | { type: 'begun' };

const TIMER_MS = 10;
const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
/** The delay of every timer tick. */
let ownDelays: number[] = [];
let ticking: NodeJS.Timeout | undefined;
let begun = { wall: performance.now(), cpu: process.cpuUsage() };

function cpuOfThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Not before the first window, because the timers cost 30 ms of CPU time in an answer of four seconds. */
function startTimers(): NodeJS.Timeout {
  delay.enable();
  let lastTick = { wall: performance.now(), cpuMs: cpuOfThread() };
  return setInterval(() => {
    const tick = { wall: performance.now(), cpuMs: cpuOfThread() };
    const late = tick.wall - lastTick.wall - TIMER_MS;
    ownDelays.push(Math.max(0, Math.min(late, tick.cpuMs - lastTick.cpuMs)));
    lastTick = tick;
  }, TIMER_MS).unref();
}

function begin(): ProbeToOwner {
  ticking ??= startTimers();
  delay.reset();
  ownDelays = [];
  begun = { wall: performance.now(), cpu: process.cpuUsage() };
  return { type: 'begun' };
}

function load(): ProbeToOwner {
  const { user, system } = process.cpuUsage(begun.cpu);
  // The interval is measured from one tick to the next.
  const late = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - TIMER_MS);
  return {
    type: 'load',
    wallMs: performance.now() - begun.wall,
    cpuMs: (user + system) / 1000,
    delayMs: { median: late(delay.percentile(50)), p99: late(delay.percentile(99)), max: late(delay.max) },
    ownDelayMs: quantile(ownDelays, 0.99),
  };
}

function memory(): ProbeToOwner {
  const mb = (bytes: number): number => bytes / 1024 / 1024;
  const { rss, external } = process.memoryUsage();
  const heap = getHeapStatistics();
  const code = getHeapCodeStatistics();
  const files = residentFiles();
  return {
    type: 'memory',
    rss: mb(rss),
    files: mb(files),
    heapUsed: mb(heap.used_heap_size),
    heapTotal: mb(heap.total_physical_size),
    code: mb(code.code_and_metadata_size + code.bytecode_and_metadata_size),
    external: mb(external),
    native: mb(rss - files - heap.total_physical_size - external),
  };
}

function residentFiles(): number {
  try {
    const kb = /^RssFile:\s+(\d+) kB/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1];
    return Number(kb ?? 0) * 1024;
  } catch {
    return 0;
  }
}

function cpu(): ProbeToOwner {
  const { user, system } = process.cpuUsage();
  return { type: 'cpu', cpuMs: (user + system) / 1000 };
}

const ANSWERS: Readonly<Record<OwnerToProbe, () => ProbeToOwner>> = { begin, load, memory, cpu };
process.on('message', (message: OwnerToProbe) => {
  process.send?.(ANSWERS[message]());
});
// The bench may exit before the server, and the channel must not keep the server alive.
process.on('disconnect', () => process.exit(0));
process.channel?.unref();

// Loaded into the server under measurement with --import, so that the product needs no code for it. Answers what it
// is asked over the channel to the bench.
import { readFileSync } from 'node:fs';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { quantile } from './quantile.ts';
import { getHeapCodeStatistics, getHeapStatistics } from 'node:v8';

/** `begin` starts a window, `load` tells of it, `memory` tells what the process holds now. */
export type OwnerToProbe = 'begin' | 'load' | 'memory';

export type Load = {
  wallMs: number;
  /** User and system, of all threads. */
  cpuMs: number;
  /** How late a timer of 10 ms was. */
  delayMs: { median: number; p99: number; max: number };
  /**
   * The same without the time in which this process was not let work: at most so much of the delay is its own doing.
   * The 99th percentile.
   */
  ownDelayMs: number;
};

/** In MB. */
export type Memory = {
  rss: number;
  /** Resident pages that are files: Node's own program, shared with every other Node of the machine. */
  files: number;
  heapUsed: number;
  heapTotal: number;
  /** Bytecode and machine code with what belongs to them; part of the heap. */
  code: number;
  /** Buffers and whatever else V8 knows outside of its heap. */
  external: number;
  /** Outside V8: SQLite, sockets, TLS, the allocator's slack. */
  native: number;
};

export type ProbeToOwner = ({ type: 'load' } & Load) | ({ type: 'memory' } & Memory) | { type: 'begun' };

const TIMER_MS = 10;
const delay = monitorEventLoopDelay({ resolution: TIMER_MS });
delay.enable();
/** Of every tick of the timer. */
let ownDelays: number[] = [];
let lastTick = { wall: performance.now(), cpuMs: cpuOfThread() };
setInterval(() => {
  const tick = { wall: performance.now(), cpuMs: cpuOfThread() };
  const late = tick.wall - lastTick.wall - TIMER_MS;
  ownDelays.push(Math.max(0, Math.min(late, tick.cpuMs - lastTick.cpuMs)));
  lastTick = tick;
}, TIMER_MS).unref();
let begun = { wall: performance.now(), cpu: process.cpuUsage() };

function cpuOfThread(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function begin(): ProbeToOwner {
  delay.reset();
  ownDelays = [];
  begun = { wall: performance.now(), cpu: process.cpuUsage() };
  return { type: 'begun' };
}

function load(): ProbeToOwner {
  const { user, system } = process.cpuUsage(begun.cpu);
  // It counts from one firing to the next.
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

process.on('message', (message: OwnerToProbe) => {
  process.send?.(message === 'begin' ? begin() : message === 'load' ? load() : memory());
});
// The bench may end before the server does; and the channel is no reason for the server to stay.
process.on('disconnect', () => process.exit(0));
process.channel?.unref();

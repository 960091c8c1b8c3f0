import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@toolyard/protocol';
import { createFakeClock } from './fake-clock.ts';

/** A clock that advances by itself, but only while this process is scheduled. */
export type SteadyClock = Clock & {
  /** Resolves after this many milliseconds of its time. */
  passes(ms: number): Promise<void>;
};

const TICK_MS = 2;
const MAX_TICK_MS = 5;

/**
 * Creates a {@link SteadyClock}, for real sockets and files within one process. It stops while a busy machine blocks
 * the process, so that no timeout overtakes an answer that has arrived. It advances only while a test waits for it.
 *
 * @param options.times how much faster it is than real time; 1 by default
 */
export function createSteadyClock({ times = 1 } = {}): SteadyClock {
  const fake = createFakeClock();
  let passes = false;

  async function pass(): Promise<void> {
    passes = true;
    let last = performance.now();
    while (fake.pending > 0) {
      await sleep(TICK_MS, undefined, { ref: false });
      const now = performance.now();
      await fake.advance(Math.min(now - last, MAX_TICK_MS) * times);
      last = now;
    }
    passes = false;
  }

  function after(ms: number, callback: () => void): () => void {
    const cancelTimer = fake.after(ms, callback);
    if (!passes) void pass();
    return cancelTimer;
  }

  return {
    now: () => Math.trunc(fake.now()),
    monotonic: () => fake.monotonic(),
    after,
    passes: (ms) => new Promise((resolve) => void after(ms, resolve)),
  };
}

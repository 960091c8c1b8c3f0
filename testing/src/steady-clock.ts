import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '@toolyard/protocol';
import { createFakeClock } from './fake-clock.ts';

/** A clock that passes by itself, but only while this process gets on. */
export type SteadyClock = Clock & {
  /** Resolves when so many milliseconds have passed on it. */
  passes(ms: number): Promise<void>;
};

const TICK_MS = 2;
const LONGEST_TICK_MS = 5;

/**
 * Makes a {@link SteadyClock}, for real sockets and files within one process. Where a busy machine holds the process up,
 * the clock stands still with it: no time-out overtakes an answer that has already come. It passes while somebody waits
 * for it.
 *
 * @param options.times how much faster it passes than the clock on the wall; 1 by default.
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
      await fake.advance(Math.min(now - last, LONGEST_TICK_MS) * times);
      last = now;
    }
    passes = false;
  }

  function after(ms: number, callback: () => void): () => void {
    const callOff = fake.after(ms, callback);
    if (!passes) void pass();
    return callOff;
  }

  return {
    now: () => Math.trunc(fake.now()),
    monotonic: () => fake.monotonic(),
    after,
    passes: (ms) => new Promise((resolve) => void after(ms, resolve)),
  };
}

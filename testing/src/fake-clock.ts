import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@toolyard/protocol';

/** A clock that only a test advances. */
export type FakeClock = Clock & {
  /**
   * Advances the time by `ms` and runs every due timer in order, at its own time. Between two timers all promises
   * settle that need no I/O, so that timers set by earlier ones run too.
   */
  advance(ms: number): Promise<void>;
  /** The number of pending timers; a test expects zero at its end. */
  readonly pending: number;
};

type Timer = { due: number; callback: () => void };

/**
 * Creates a {@link FakeClock}.
 *
 * @param options.start the first value of `now()`, milliseconds since 1970; 2026-01-01T00:00:00Z by default
 */
export function createFakeClock(options: { start?: number } = {}): FakeClock {
  const start = options.start ?? Date.UTC(2026, 0, 1);
  const timers = new Set<Timer>();
  let elapsed = 0;

  function nextDue(until: number): Timer | undefined {
    let first: Timer | undefined;
    for (const timer of timers) {
      if (timer.due <= until && (first === undefined || timer.due < first.due)) first = timer;
    }
    return first;
  }

  return {
    now: () => start + elapsed,
    monotonic: () => elapsed,
    after(ms, callback) {
      const timer = { due: elapsed + Math.max(0, ms), callback };
      timers.add(timer);
      return () => void timers.delete(timer);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await nextTurn();
      for (let timer = nextDue(until); timer !== undefined; timer = nextDue(until)) {
        timers.delete(timer);
        elapsed = timer.due;
        timer.callback();
        await nextTurn();
      }
      elapsed = until;
    },
    get pending() {
      return timers.size;
    },
  };
}

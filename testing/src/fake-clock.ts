import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '@toolyard/protocol';

/** A clock that stands still until a test moves it. */
export type FakeClock = Clock & {
  /**
   * Moves time on by `ms` and runs every timer that falls due, in order, at its own time. Between two timers all
   * promises settle that need no I/O, so that a timer set in answer to another one is seen as well.
   */
  advance(ms: number): Promise<void>;
  /** How many timers are set; zero is what a test wants to see at its end. */
  readonly pending: number;
};

type Timer = { due: number; callback: () => void };

/**
 * Makes a {@link FakeClock}.
 *
 * @param options.start what `now()` gives at first, milliseconds since 1970; 2026-01-01T00:00:00Z by default.
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

import type { Clock } from '@toolyard/protocol';

const TIMES = 100;

/** For servers on a quick clock: half a minute for whatever a busy machine makes of it. */
export const PATIENT = { connectTimeoutMs: 30_000 * TIMES, callTimeoutMs: 30_000 * TIMES };

/** A clock on which a hundred seconds pass in one, for real servers and waits of minutes. */
export function createQuickClock(): Clock {
  const begun = performance.now();
  const passed = (): number => (performance.now() - begun) * TIMES;
  return {
    now: () => 1_700_000_000_000 + passed(),
    monotonic: passed,
    after(ms, callback) {
      const timer = setTimeout(callback, ms / TIMES);
      return () => clearTimeout(timer);
    },
  };
}

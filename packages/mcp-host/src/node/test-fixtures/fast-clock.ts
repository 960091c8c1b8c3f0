import type { SteadyClock } from '@toolyard/testing';
import { createSteadyClock } from '@toolyard/testing';

const TIMES = 100;

/** Timeouts for servers on the fast clock: half a minute of real time on a busy machine. */
export const LONG_TIMEOUTS = { connectTimeoutMs: 30_000 * TIMES, callTimeoutMs: 30_000 * TIMES };

/** A clock that is a hundred times faster, for real servers and waits of minutes. */
export function createFastClock(): SteadyClock {
  return createSteadyClock({ times: TIMES });
}

import type { SteadyClock } from '@toolyard/testing';
import { createSteadyClock } from '@toolyard/testing';

const TIMES = 100;

/** For servers on a quick clock: half a minute for whatever a busy machine makes of it. */
export const LONG_TIMEOUTS = { connectTimeoutMs: 30_000 * TIMES, callTimeoutMs: 30_000 * TIMES };

/** A clock on which a hundred seconds pass in one, for real servers and waits of minutes. */
export function createFastClock(): SteadyClock {
  return createSteadyClock({ times: TIMES });
}

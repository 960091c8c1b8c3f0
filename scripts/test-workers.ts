import { availableParallelism } from 'node:os';

/** Tests wait for processes and sockets most of the time: two cores have work for four workers. */
export const WORKERS = Math.max(4, availableParallelism());

/** Every wait of a test gives up by itself after a minute and says what it waited for; this is for what does not. */
export const TIMEOUTS = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

import { availableParallelism } from 'node:os';

/** Tests mostly wait for processes and sockets, so two cores can serve four workers. */
export const WORKERS = Math.max(4, availableParallelism());

/** Waits of tests time out after a minute with a description; these limits are for anything else. */
export const TIMEOUTS = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 60_000 } } };

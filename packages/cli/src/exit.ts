/**
 * Exit codes: 0 success, 1 failure, 2 usage error, 3 connection to the server lost during a run (which continues on the
 * server), 130 stopped by the user.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, lost: 3, stopped: 130 } as const;

/**
 * Exit codes of the command: 0 done, 1 failed, 2 called wrongly, 3 the server went away while it worked (the run goes
 * on when it is back), 130 stopped by the person.
 */
export const EXIT = { done: 0, failed: 1, usage: 2, lost: 3, stopped: 130 } as const;

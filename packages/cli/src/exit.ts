/** Exit codes of the command: 0 done, 1 failed, 2 called wrongly, 130 stopped by the person. */
export const EXIT = { done: 0, failed: 1, usage: 2, stopped: 130 } as const;

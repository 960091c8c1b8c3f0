import type { RunPoint } from '@toolyard/agent-runtime';

/** What is stored of a run with each step. */
export type StoredRun = {
  point: RunPoint;
  /** The end of the run's own branch, whatever branch the user views. */
  leafId: string;
  /** What the page shows at that end: a placeholder until the first answer is written, then `leafId`. */
  shownId: string;
  /** Queued messages that a parked run adds when it continues. */
  steers?: string[];
};

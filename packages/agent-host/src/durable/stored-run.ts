import type { RunPoint } from '@toolyard/agent-runtime';

/** What is stored of a run with each step. */
export type StoredRun = {
  point: RunPoint;
  /** The end of the run's own branch, whatever branch the person looks at. */
  leafId: string;
  /** What the page shows at that end: a placeholder while the first answer is being written, else `leafId`. */
  shownId: string;
  /** Queued messages a run that rests for a person is to take in once it goes on. */
  steers?: string[];
};

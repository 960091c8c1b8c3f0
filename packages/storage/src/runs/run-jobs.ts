import type { RunStore } from '@toolyard/protocol';
import type { RetryableWork } from '../engine/work.ts';

/** A {@link RunStore} whose methods return jobs for an engine to execute. */
export type RunJobs = {
  [K in keyof RunStore]: (...parameters: Parameters<RunStore[K]>) => RetryableWork<Awaited<ReturnType<RunStore[K]>>>;
};

import type { RunCommit, UsageEntry } from './run-store.ts';
import type { RequestPrelude } from './schemas/sent-requests.ts';

/**
 * Version of the API for runs in tabs. A page stays open while its server is updated: one with an older version gets an
 * error before it writes anything.
 */
export const TAB_RUNS_VERSION = 6;

/** A request of a tab that starts, claims or writes a run. */
export type FromTab<T extends object> = T & { v: typeof TAB_RUNS_VERSION };

/** The changes of one run; see {@link RunCommit}. */
export type CommitFromTab = Pick<
  RunCommit,
  | 'fence'
  | 'baseSeq'
  | 'events'
  | 'state'
  | 'status'
  | 'messages'
  | 'leaf'
  | 'ledger'
  | 'interrupts'
  | 'taken'
  | 'release'
> & {
  /** Number of the commit under its fence, from 1: the last one may be sent again and gets the same response. */
  number: number;
  /** Tool calls; model calls are counted where they are made. */
  usage?: readonly Extract<UsageEntry, { kind: 'tool' }>[];
  /** Preludes of its requests, each under the SHA-256 of its canonical JSON; sent once per holder of the lease. */
  preludes?: readonly { id: string; prelude: RequestPrelude }[];
};

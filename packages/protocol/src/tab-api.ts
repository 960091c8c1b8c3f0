import type { RunCommit, UsageEntry } from './run-store.ts';
import type { RequestPrelude } from './schemas/sent-requests.ts';

/**
 * How a tab and its server speak of runs. A page stays open while its server is made new: one that speaks an older way
 * is told so, before it writes anything.
 */
export const TAB_RUNS_VERSION = 3;

/** What a tab sends that begins, takes over or writes a run. */
export type FromTab<T extends object> = T & { v: typeof TAB_RUNS_VERSION };

/** What one run has to write; see {@link RunCommit}. */
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
  /** Which one it is under its fence, from 1: the last one may be sent again, and is answered the same. */
  number: number;
  /** Calls of tools; those of models are counted where they are made. */
  usage?: readonly Extract<UsageEntry, { kind: 'tool' }>[];
  /** What goes along with its requests, each under the SHA-256 of its canonical JSON; told once by whoever is at work. */
  preludes?: readonly { id: string; prelude: RequestPrelude }[];
};

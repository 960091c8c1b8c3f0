import type { ErrorInfo, Owner } from '@toolyard/protocol';
import type { SearchHit, SearchQuery } from '../repositories/conversation-search.ts';
import type { StorageProblem } from '../storage-error.ts';
import type { UsageFound, UsageQuery } from '../usage/usage-report.ts';

/** What a reader reads: each is asked on somebody's behalf. */
export type ReaderQueries = {
  search: (principal: Owner, query: SearchQuery) => SearchHit[];
  usage: (principal: Owner, query: UsageQuery) => UsageFound;
};

/** What a reader is started with: the database, and a flag that becomes 1 when it has closed it. */
export type ReaderData = { file: string; closed: Int32Array };

/** What is asked of a reader, one thing at a time. */
export type ReaderQuery = {
  [K in keyof ReaderQueries]: { what: K; principal: Owner; query: Parameters<ReaderQueries[K]>[1] };
}[keyof ReaderQueries];
export type ReaderRequest = { id: number; asked: ReaderQuery } | 'close';

/** What it answers. `problem` is null where the fault is ours. */
export type ReaderAnswer =
  | { id: number; ok: true; found: ReturnType<ReaderQueries[keyof ReaderQueries]> }
  | { id: number; ok: false; problem: StorageProblem; error: Omit<ErrorInfo, 'code'> }
  | { id: number; ok: false; problem: null };

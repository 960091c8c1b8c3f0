import type { ErrorInfo, Owner } from '@toolyard/protocol';
import type { SearchHit, SearchQuery } from '../repositories/conversation-search.ts';
import type { StorageProblem } from '../storage-error.ts';
import type { UsageFound, UsageQuery } from '../usage/usage-report.ts';

/** The queries of a reader, each on behalf of an owner. */
export type ReaderQueries = {
  search: (principal: Owner, query: SearchQuery) => SearchHit[];
  usage: (principal: Owner, query: UsageQuery) => UsageFound;
};

/** Data of the worker: the database file, and a flag that becomes 1 after the worker closed it. */
export type ReaderData = { file: string; closed: Int32Array };

/** A query to the worker. */
export type ReaderQuery = {
  [K in keyof ReaderQueries]: { method: K; principal: Owner; query: Parameters<ReaderQueries[K]>[1] };
}[keyof ReaderQueries];
export type ReaderRequest = { id: number; query: ReaderQuery } | 'close';

/** Result of a query. `problem` is null for internal errors. */
export type ReaderAnswer =
  | { id: number; ok: true; found: ReturnType<ReaderQueries[keyof ReaderQueries]> }
  | { id: number; ok: false; problem: StorageProblem; error: Omit<ErrorInfo, 'code'> }
  | { id: number; ok: false; problem: null };

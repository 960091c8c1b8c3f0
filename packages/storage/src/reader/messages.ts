import type { ErrorInfo, Principal } from '@toolyard/protocol';
import type { Hit, SearchQuery } from '../repositories/conversation-search.ts';
import type { StorageProblem } from '../storage-error.ts';

/** What a reader is started with: the database, and a flag that becomes 1 when it has closed it. */
export type ReaderData = { file: string; closed: Int32Array };

/** What is asked of a reader, one thing at a time. */
export type ReaderRequest = { id: number; principal: Principal; search: SearchQuery } | 'close';

/** What it answers. `problem` is null where the fault is ours. */
export type ReaderAnswer =
  | { id: number; ok: true; hits: Hit[] }
  | { id: number; ok: false; problem: StorageProblem; error: Omit<ErrorInfo, 'code'> }
  | { id: number; ok: false; problem: null };

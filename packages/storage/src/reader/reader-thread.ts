import { defined } from '@toolyard/protocol';
import { parentPort, workerData } from 'node:worker_threads';
import { createConversationSearch } from '../sqlite/conversation-search.ts';
import { ReadConnection } from '../sqlite/read-connection.ts';
import { createSqliteUsageReport } from '../sqlite/usage-report.ts';
import { StorageError } from '../storage-error.ts';
import type { ReaderQuery, ReaderAnswer, ReaderData, ReaderRequest, ReaderQueries } from './messages.ts';

/** The worker thread of long reads, with its own connection: see `create-reader.ts`. */
const { file, closed } = workerData as ReaderData;
const connection = new ReadConnection(file);
const readings: ReaderQueries = {
  search: createConversationSearch(connection),
  usage: createSqliteUsageReport(connection),
};

parentPort?.on('message', (request: ReaderRequest) => {
  if (request === 'close') close();
  else parentPort?.postMessage(answer(request));
});

function answer({ id, query }: Exclude<ReaderRequest, 'close'>): ReaderAnswer {
  try {
    return { id, ok: true, found: read(query) };
  } catch (thrown) {
    if (!StorageError.isInstance(thrown)) return { id, ok: false, problem: null };
    const { problem, message, hint } = thrown;
    return { id, ok: false, problem, error: { message, ...defined({ hint }) } };
  }
}

function read(query: ReaderQuery): ReturnType<ReaderQueries[keyof ReaderQueries]> {
  const { principal } = query;
  return query.method === 'search' ? readings.search(principal, query.query) : readings.usage(principal, query.query);
}

function close(): void {
  connection.close();
  Atomics.store(closed, 0, 1);
  Atomics.notify(closed, 0);
  parentPort?.close();
}

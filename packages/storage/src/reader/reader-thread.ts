import { parentPort, workerData } from 'node:worker_threads';
import { createConversationSearch } from '../sqlite/conversation-search.ts';
import { ReadConnection } from '../sqlite/read-connection.ts';
import { StorageError } from '../storage-error.ts';
import type { ReaderAnswer, ReaderData, ReaderRequest } from './messages.ts';

/** The thread that searches, on a connection of its own: see `create-reader.ts`. */
const { file, closed } = workerData as ReaderData;
const connection = new ReadConnection(file);
const search = createConversationSearch(connection);

parentPort?.on('message', (request: ReaderRequest) => {
  if (request === 'close') close();
  else parentPort?.postMessage(answer(request));
});

function answer({ id, principal, search: query }: Exclude<ReaderRequest, 'close'>): ReaderAnswer {
  try {
    return { id, ok: true, hits: search(principal, query) };
  } catch (thrown) {
    if (!StorageError.isInstance(thrown)) return { id, ok: false, problem: null };
    const { problem, message, hint } = thrown;
    return { id, ok: false, problem, error: { message, ...(hint === undefined ? {} : { hint }) } };
  }
}

function close(): void {
  connection.close();
  Atomics.store(closed, 0, 1);
  Atomics.notify(closed, 0);
  parentPort?.close();
}

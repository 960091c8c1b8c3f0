import { Worker } from 'node:worker_threads';
import { StorageError, createStorageError } from '../storage-error.ts';
import type { ReaderQuery, ReaderAnswer, ReaderData, ReaderRequest, ReaderQueries } from './messages.ts';

/** Runs long reads in a worker thread, so that searches do not delay the tokens of other users. */
export type Reader = {
  [K in keyof ReaderQueries]: (...args: Parameters<ReaderQueries[K]>) => Promise<ReturnType<ReaderQueries[K]>>;
} & {
  /** Waits for a limited time until the database is closed. May be called again. */
  close(): void;
};

/** How long to wait for pending reads on close. */
const CLOSE_TIMEOUT_MS = 1_000;

type QueryResult = ReturnType<ReaderQueries[keyof ReaderQueries]>;
type Waiting = { resolve: (found: QueryResult) => void; reject: (reason: unknown) => void };
type Thread = { worker: Worker; closed: Int32Array; waiting: Map<number, Waiting> };

/**
 * Creates a reader of this database. Its thread starts with the first query and does not keep the process alive.
 *
 * @param here runs queries in this thread, as a fallback
 */
export function createReader(file: string, here: ReaderQueries): Reader {
  let thread: Thread | null = null;
  let state: 'open' | 'threadless' | 'closed' = 'open';
  let lastId = 0;

  function begin(): Thread {
    const closed = new Int32Array(new SharedArrayBuffer(4));
    // Compiled, this file and the worker end in .js.
    const entry = new URL(
      import.meta.url.endsWith('.ts') ? './reader-thread.ts' : './reader-thread.js',
      import.meta.url,
    );
    const worker = new Worker(entry, { workerData: { file, closed } satisfies ReaderData, name: 'toolyard reader' });
    const started: Thread = { worker, closed, waiting: new Map() };
    worker.unref();
    worker.on('message', (answer: ReaderAnswer) => settle(started, answer));
    worker.on('error', () => threadLost(started));
    worker.on('exit', () => threadLost(started));
    return started;
  }

  function settle({ worker, waiting }: Thread, answer: ReaderAnswer): void {
    const waits = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if (answer.ok) waits?.resolve(answer.found);
    else if (answer.problem === null) waits?.reject(new Error('the reader failed'));
    else waits?.reject(new StorageError(answer.problem, answer.error));
  }

  /** A thread that exits unexpectedly would exit again: all further queries run in this thread. */
  function threadLost({ waiting }: Thread): void {
    if (state === 'open') state = 'threadless';
    for (const { reject } of waiting.values()) reject(new ThreadGone());
    waiting.clear();
  }

  function ask(query: ReaderQuery): Promise<QueryResult> {
    const { worker, waiting } = (thread ??= begin());
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, query } satisfies ReaderRequest);
    });
  }

  /** Sends a query to the worker, or runs it in this thread without a worker. */
  async function read(query: ReaderQuery, now: () => QueryResult): Promise<QueryResult> {
    if (state === 'open') {
      try {
        return await ask(query);
      } catch (thrown) {
        if (!(thrown instanceof ThreadGone)) throw thrown;
      }
    }
    if (state === 'closed') throw createStorageError('engine', file, 'it was closed');
    return now();
  }

  return {
    // TypeScript cannot infer through the message that the result belongs to this query.
    search: async (principal, query) =>
      (await read({ method: 'search', principal, query }, () => here.search(principal, query))) as ReturnType<
        ReaderQueries['search']
      >,
    usage: async (principal, query) =>
      (await read({ method: 'usage', principal, query }, () => here.usage(principal, query))) as ReturnType<
        ReaderQueries['usage']
      >,
    close() {
      state = 'closed';
      if (!thread) return;
      const { worker, closed } = thread;
      worker.postMessage('close' satisfies ReaderRequest);
      // The writer can checkpoint the WAL only after the reader has closed the database.
      Atomics.wait(closed, 0, 0, CLOSE_TIMEOUT_MS);
      threadLost(thread);
      void worker.terminate();
      thread = null;
    },
  };
}

class ThreadGone extends Error {}

import { Worker } from 'node:worker_threads';
import { StorageError, storageError } from '../storage-error.ts';
import type { ReaderQuery, ReaderAnswer, ReaderData, ReaderRequest, ReaderQueries } from './messages.ts';

/** Reads what takes long in a thread of its own, so that nobody's tokens wait for somebody's search. */
export type Reader = {
  [K in keyof ReaderQueries]: (...asked: Parameters<ReaderQueries[K]>) => Promise<ReturnType<ReaderQueries[K]>>;
} & {
  /** Waits, bounded, until the database is let go of. May be called again. */
  close(): void;
};

/** How long an end waits for what is being read. */
const CLOSE_WITHIN_MS = 1_000;

type Found = ReturnType<ReaderQueries[keyof ReaderQueries]>;
type Waiting = { resolve: (found: Found) => void; reject: (reason: unknown) => void };
type Thread = { worker: Worker; closed: Int32Array; waiting: Map<number, Waiting> };

/**
 * A reader of this database. Its thread begins with the first question and keeps no process alive.
 *
 * @param here reads in this thread: where there can be no other
 */
export function createReader(file: string, here: ReaderQueries): Reader {
  let thread: Thread | null = null;
  let state: 'open' | 'threadless' | 'closed' = 'open';
  let lastId = 0;

  function begin(): Thread {
    const closed = new Int32Array(new SharedArrayBuffer(4));
    // Built, this file and that one end in .js.
    const entry = new URL(
      import.meta.url.endsWith('.ts') ? './reader-thread.ts' : './reader-thread.js',
      import.meta.url,
    );
    const worker = new Worker(entry, { workerData: { file, closed } satisfies ReaderData, name: 'toolyard reader' });
    const begun: Thread = { worker, closed, waiting: new Map() };
    worker.unref();
    worker.on('message', (answer: ReaderAnswer) => settle(begun, answer));
    worker.on('error', () => lose(begun));
    worker.on('exit', () => lose(begun));
    return begun;
  }

  function settle({ worker, waiting }: Thread, answer: ReaderAnswer): void {
    const waits = waiting.get(answer.id);
    waiting.delete(answer.id);
    if (waiting.size === 0) worker.unref();
    if (answer.ok) waits?.resolve(answer.found);
    else if (answer.problem === null) waits?.reject(new Error('the reader failed'));
    else waits?.reject(new StorageError(answer.problem, answer.error));
  }

  /** A thread that ended by itself would end again: from now on this one reads. */
  function lose({ waiting }: Thread): void {
    if (state === 'open') state = 'threadless';
    for (const { reject } of waiting.values()) reject(new ThreadGone());
    waiting.clear();
  }

  function ask(asked: ReaderQuery): Promise<Found> {
    const { worker, waiting } = (thread ??= begin());
    const id = ++lastId;
    return new Promise((resolve, reject) => {
      waiting.set(id, { resolve, reject });
      worker.ref();
      worker.postMessage({ id, asked } satisfies ReaderRequest);
    });
  }

  /** Asks the thread, or this one where there is none. */
  async function read(asked: ReaderQuery, now: () => Found): Promise<Found> {
    if (state === 'open') {
      try {
        return await ask(asked);
      } catch (thrown) {
        if (!(thrown instanceof ThreadGone)) throw thrown;
      }
    }
    if (state === 'closed') throw storageError('engine', file, 'it was closed');
    return now();
  }

  return {
    // The thread answers what it was asked for: which of them it was, TypeScript cannot follow through the message.
    search: async (principal, query) =>
      (await read({ what: 'search', principal, query }, () => here.search(principal, query))) as ReturnType<
        ReaderQueries['search']
      >,
    usage: async (principal, query) =>
      (await read({ what: 'usage', principal, query }, () => here.usage(principal, query))) as ReturnType<
        ReaderQueries['usage']
      >,
    close() {
      state = 'closed';
      if (!thread) return;
      const { worker, closed } = thread;
      worker.postMessage('close' satisfies ReaderRequest);
      // The writer can fold its log into the file only once nobody reads.
      Atomics.wait(closed, 0, 0, CLOSE_WITHIN_MS);
      lose(thread);
      void worker.terminate();
      thread = null;
    },
  };
}

class ThreadGone extends Error {}

import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createFailpoints, createFakeClock, eventually, within } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { statements } from '../engine/work.ts';
import type { DatabaseOptions, SharedStorage } from '../storage.ts';
import { ANNE, commitOf, deltas, newRun } from '../test-fixtures/conversation.ts';
import { PostgresConnection } from './connection.ts';
import { openDatabase } from './open-database.ts';

async function withStorage(
  url: string,
  use: (storage: SharedStorage) => Promise<void>,
  options: Partial<DatabaseOptions> = {},
): Promise<void> {
  const storage = await openDatabase({ url, clock: createFakeClock(), ...options });
  try {
    await use(storage);
  } finally {
    await storage.close();
  }
}

async function startRun({ conversations, runs }: SharedStorage, runId = 'r1'): Promise<void> {
  await conversations.create(ANNE, { id: `c-${runId}`, title: '', at: 1 });
  expect(await runs.createRun(ANNE, newRun(runId, `c-${runId}`))).toMatchObject({ outcome: 'created' });
}

/** A commit whose answer the proxy loses must not be waited for without end. */
const commit = ({ runs }: SharedStorage, ...items: ReturnType<typeof commitOf>[]) =>
  within(Promise.resolve(runs.commit(items)), { what: 'the result of the commit' });

const seqs = async ({ runs }: SharedStorage, runId = 'r1'): Promise<number[] | undefined> =>
  (await runs.readEvents(ANNE, runId, 0, 99))?.map(({ seq }) => seq);

describeOnPostgres('a PostgreSQL database', (cluster) => {
  test('that vanishes before a commit has nothing of it, says so, and is used again once it is back', async () => {
    const url = await cluster().createDatabase();
    const failpoint = createFailpoints();
    const use = async (storage: SharedStorage): Promise<void> => {
      await startRun(storage);
      const item = commitOf('r1', { events: deltas('r1', 0, 2) });
      failpoint.at('commit:begun', () => cluster().stop('immediate'));
      const error: unknown = await commit(storage, item).catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ problem: 'unreachable', code: 'storage_failed', retryable: true });
      failpoint.clear('commit:begun');
      await expect(Promise.resolve(storage.runs.getRun(ANNE, 'r1'))).rejects.toMatchObject({ problem: 'unreachable' });
      await cluster().start();
      expect(await seqs(storage)).toEqual([]);
      expect(await commit(storage, item)).toEqual([{ outcome: 'committed', lastSeq: 2 }]);
    };
    await withStorage(url, use, { failpoint });
  });

  test('that is restarted while a commit is stored is asked afterwards what came of it', async () => {
    const url = await cluster().createDatabase();
    const failpoint = createFailpoints();
    const use = async (storage: SharedStorage): Promise<void> => {
      await startRun(storage);
      const first = commitOf('r1', { events: deltas('r1', 0, 2), ledger: [plan] });
      failpoint.at('commit:written', async () => {
        await cluster().stop('immediate');
        await cluster().start();
      });
      await expect(commit(storage, first)).rejects.toMatchObject({
        problem: 'unreachable',
        message: expect.stringContaining('nothing of the last change was stored'),
      });
      failpoint.clear('commit:written');
      expect(await seqs(storage)).toEqual([]);
      expect(await commit(storage, first)).toEqual([{ outcome: 'committed', lastSeq: 2 }]);
    };
    await withStorage(url, use, { failpoint });
  });

  test('that does not answer any more is given up, and asked anew', async () => {
    const proxy = await startProxy(await cluster().createDatabase());
    const connection = new PostgresConnection({ url: proxy.url, connections: 1, answerWithinMs: 300 });
    const ask = (): Promise<unknown> =>
      within(
        connection.perform(
          statements(function* () {
            return (yield { text: 'SELECT 1 AS one', values: [] }).rows;
          }),
        ),
        { what: 'the answer or the error of SELECT 1' },
      );
    try {
      // A busy machine may not answer in so short a time, either: then it is asked anew as well.
      await eventually(async () => expect(await ask()).toEqual([{ one: 1 }]));
      proxy.fallSilent();
      await expect(ask()).rejects.toMatchObject({ problem: 'unreachable' });
      await eventually(async () => expect(await ask()).toEqual([{ one: 1 }]));
    } finally {
      await connection.close();
      proxy.close();
    }
  });

  test('that has answered while this process was held up is not given up for that', async () => {
    const connection = new PostgresConnection({ url: await cluster().createDatabase(), connectWithinMs: 1_000 });
    try {
      // Each time, for a busy machine may be held up once more.
      await eventually(async () => {
        const asked = connection.query('SELECT 1 AS one', []);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
        return (await asked).rows.length === 1;
      });
    } finally {
      await connection.close();
    }
  });

  test('whose answer to a commit is lost on the way is asked again, and the commit counts', async () => {
    const proxy = await startProxy(await cluster().createDatabase());
    try {
      await withStorage(proxy.url, async (storage) => {
        await startRun(storage);
        proxy.loseAnswerTo('COMMIT');
        const item = commitOf('r1', { events: deltas('r1', 0, 2), ledger: [plan] });
        expect(await commit(storage, item)).toEqual([{ outcome: 'committed', lastSeq: 2 }]);
        expect(await seqs(storage)).toEqual([1, 2]);
        await storage.conversations.create(ANNE, { id: 'c2', title: '', at: 1 });
        proxy.loseAnswerTo('COMMIT');
        expect(await storage.runs.createRun(ANNE, newRun('r9', 'c2'))).toMatchObject({ outcome: 'created' });
        // What says nothing of itself cannot be told, and that is said.
        proxy.loseAnswerTo('COMMIT');
        const silent = commitOf('r1', { baseSeq: 2, ledger: [{ ...plan, callId: 'l' }] });
        await expect(commit(storage, silent)).rejects.toMatchObject({
          message: expect.stringContaining('nobody can tell'),
        });
      });
    } finally {
      proxy.close();
    }
  });

  test('whose answer to the words of several runs is lost is asked which of them were stored', async () => {
    const proxy = await startProxy(await cluster().createDatabase());
    try {
      await withStorage(proxy.url, async (storage) => {
        await startRun(storage);
        await startRun(storage, 'r2');
        await startRun(storage, 'r3');
        expect(await storage.runs.acquireLease('r2', { owner: 'other', ms: 1 }, { from: 'process-1' })).not.toBeNull();
        proxy.loseAnswerTo('INSERT INTO run_events');
        const words = (runId: string) => commitOf(runId, { events: deltas(runId, 0, 2) });
        expect(await commit(storage, ...['r1', 'r2', 'r3'].map(words))).toEqual([
          { outcome: 'committed', lastSeq: 2 },
          { outcome: 'stale', now: { fence: 2, lastSeq: 0, status: 'running' } },
          { outcome: 'committed', lastSeq: 2 },
        ]);
        expect([await seqs(storage), await seqs(storage, 'r2')]).toEqual([[1, 2], []]);
      });
    } finally {
      proxy.close();
    }
  });

  test('that is gone before the words of runs are stored keeps none of them, and says so', async () => {
    const url = await cluster().createDatabase();
    const proxy = await startProxy(url);
    try {
      await withStorage(proxy.url, async (storage) => {
        await startRun(storage);
        proxy.loseOnItsWay('INSERT INTO run_events');
        const item = commitOf('r1', { events: deltas('r1', 0, 2) });
        await expect(commit(storage, item)).rejects.toMatchObject({
          problem: 'unreachable',
          message: expect.stringContaining('nothing of the last change was stored'),
        });
        expect(await seqs(storage)).toEqual([]);
        expect(await commit(storage, item)).toEqual([{ outcome: 'committed', lastSeq: 2 }]);
      });
    } finally {
      proxy.close();
    }
  });
});

const plan = { change: 'plan', callId: 'k', tool: { serverId: 's', name: 't' }, arguments: {} } as const;

/** Stands between client and server: it can cut the line before a statement or its answer, or pass on nothing. */
async function startProxy(to: string): Promise<{
  url: string;
  /** The next time a statement has these words in it. */
  loseAnswerTo(words: string): void;
  loseOnItsWay(words: string): void;
  /** To those who are connected now. */
  fallSilent(): void;
  close(): void;
}> {
  const target = new URL(to);
  const silenced = new Set<Socket>();
  const clients = new Set<Socket>();
  let armed: { words: string; passes: boolean } | null = null;
  const server = createServer((client) => {
    const upstream = connect(Number(target.port), target.hostname);
    let cut = false;
    clients.add(client);
    client.on('data', (bytes) => {
      if (armed && bytes.includes(armed.words)) {
        cut = true;
        const { passes } = armed;
        armed = null;
        if (!passes) {
          client.destroy();
          return;
        }
      }
      upstream.write(bytes);
    });
    upstream.on('data', (bytes) => {
      if (cut) client.destroy();
      else if (!silenced.has(client)) client.write(bytes);
    });
    for (const [socket, other] of [[client, upstream] as const, [upstream, client] as const]) {
      socket.on('error', () => {});
      socket.on('close', () => other.destroy());
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = new URL(to);
  url.port = String(address !== null && typeof address === 'object' ? address.port : 0);
  return {
    url: url.href,
    loseAnswerTo: (words) => void (armed = { words, passes: true }),
    loseOnItsWay: (words) => void (armed = { words, passes: false }),
    fallSilent() {
      for (const client of clients) silenced.add(client);
    },
    close: () => void server.close(),
  };
}

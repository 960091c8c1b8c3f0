import { once } from 'node:events';
import type { Socket } from 'node:net';
import { connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { createFailpoints, createFakeClock, eventually, within } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { statements } from '../engine/work.ts';
import type { DatabaseOptions, SharedStorage } from '../storage.ts';
import { ANNE, createCommit, deltas, newRun } from '../test-fixtures/conversation.ts';
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

/** Time limit for a commit whose response the proxy drops. */
const commit = ({ runs }: SharedStorage, ...items: ReturnType<typeof createCommit>[]) =>
  within(Promise.resolve(runs.commit(items)), { what: 'the result of the commit' });

const seqs = async ({ runs }: SharedStorage, runId = 'r1'): Promise<number[] | undefined> =>
  (await runs.readEvents(ANNE, runId, 0, 99))?.map(({ seq }) => seq);

describeOnPostgres('a PostgreSQL database', (cluster) => {
  test('that disappears before a commit stores nothing of it, reports that, and is used again afterwards', async () => {
    const url = await cluster().createDatabase();
    const failpoint = createFailpoints();
    const use = async (storage: SharedStorage): Promise<void> => {
      await startRun(storage);
      const item = createCommit('r1', { events: deltas('r1', 0, 2) });
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

  test('that restarts during a commit is asked for the outcome', async () => {
    const url = await cluster().createDatabase();
    const failpoint = createFailpoints();
    const use = async (storage: SharedStorage): Promise<void> => {
      await startRun(storage);
      const first = createCommit('r1', { events: deltas('r1', 0, 2), ledger: [plan] });
      failpoint.at('commit:written', async () => {
        await cluster().stop('immediate');
        await cluster().start();
      });
      await expect(commit(storage, first)).rejects.toMatchObject({
        problem: 'unreachable',
        message: expect.stringContaining('the last change was not stored'),
      });
      failpoint.clear('commit:written');
      expect(await seqs(storage)).toEqual([]);
      expect(await commit(storage, first)).toEqual([{ outcome: 'committed', lastSeq: 2 }]);
    };
    await withStorage(url, use, { failpoint });
  });

  test('that stops responding times out, and the query is retried', async () => {
    const proxy = await startProxy(await cluster().createDatabase());
    const connection = new PostgresConnection({ url: proxy.url, connections: 1, queryTimeoutMs: 300 });
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
      // On a busy machine the response may be late again, which is another retry.
      await eventually(async () => expect(await ask()).toEqual([{ one: 1 }]));
      proxy.stopForwarding();
      await expect(ask()).rejects.toMatchObject({ problem: 'unreachable' });
      await eventually(async () => expect(await ask()).toEqual([{ one: 1 }]));
    } finally {
      await connection.close();
      proxy.close();
    }
  });

  test('that responded while this process was suspended does not time out', async () => {
    const connection = new PostgresConnection({ url: await cluster().createDatabase(), connectTimeoutMs: 1_000 });
    try {
      // In a loop, because a busy machine may be suspended again.
      await eventually(async () => {
        const answer = connection.query('SELECT 1 AS one', []);
        Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_200);
        return (await answer).rows.length === 1;
      });
    } finally {
      await connection.close();
    }
  });

  test('whose response to a commit is lost is asked for the outcome, and the commit counts', async () => {
    const proxy = await startProxy(await cluster().createDatabase());
    try {
      await withStorage(proxy.url, async (storage) => {
        await startRun(storage);
        proxy.dropResponseTo('COMMIT');
        const item = createCommit('r1', { events: deltas('r1', 0, 2), ledger: [plan] });
        expect(await commit(storage, item)).toEqual([{ outcome: 'committed', lastSeq: 2 }]);
        expect(await seqs(storage)).toEqual([1, 2]);
        await storage.conversations.create(ANNE, { id: 'c2', title: '', at: 1 });
        proxy.dropResponseTo('COMMIT');
        expect(await storage.runs.createRun(ANNE, newRun('r9', 'c2'))).toMatchObject({ outcome: 'created' });
        // Work without `recall` has an unknown outcome, which is reported.
        proxy.dropResponseTo('COMMIT');
        const silent = createCommit('r1', { baseSeq: 2, ledger: [{ ...plan, callId: 'l' }] });
        await expect(commit(storage, silent)).rejects.toMatchObject({
          message: expect.stringContaining('it is unknown whether'),
        });
      });
    } finally {
      proxy.close();
    }
  });

  test('whose response to the tokens of several runs is lost is asked which were stored', async () => {
    const proxy = await startProxy(await cluster().createDatabase());
    try {
      await withStorage(proxy.url, async (storage) => {
        await startRun(storage);
        await startRun(storage, 'r2');
        await startRun(storage, 'r3');
        expect(await storage.runs.acquireLease('r2', { owner: 'other', ms: 1 }, { from: 'process-1' })).not.toBeNull();
        proxy.dropResponseTo('INSERT INTO run_events');
        const tokenCommit = (runId: string) => createCommit(runId, { events: deltas(runId, 0, 2) });
        expect(await commit(storage, ...['r1', 'r2', 'r3'].map(tokenCommit))).toEqual([
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

  test('that disappears before tokens of runs are stored keeps none, and reports that', async () => {
    const url = await cluster().createDatabase();
    const proxy = await startProxy(url);
    try {
      await withStorage(proxy.url, async (storage) => {
        await startRun(storage);
        proxy.dropRequest('INSERT INTO run_events');
        const item = createCommit('r1', { events: deltas('r1', 0, 2) });
        await expect(commit(storage, item)).rejects.toMatchObject({
          problem: 'unreachable',
          message: expect.stringContaining('the last change was not stored'),
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

/**
 * A proxy between client and server: it can cut the connection before a statement or its response, or stop forwarding.
 */
async function startProxy(to: string): Promise<{
  url: string;
  /** Drops the response to the next statement that contains these words. */
  dropResponseTo(words: string): void;
  dropRequest(words: string): void;
  /** Stops forwarding on the current connections. */
  stopForwarding(): void;
  close(): void;
}> {
  const target = new URL(to);
  const paused = new Set<Socket>();
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
      else if (!paused.has(client)) client.write(bytes);
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
    dropResponseTo: (words) => void (armed = { words, passes: true }),
    dropRequest: (words) => void (armed = { words, passes: false }),
    stopForwarding() {
      for (const client of clients) paused.add(client);
    },
    close: () => void server.close(),
  };
}

import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { transaction } from '../engine/work.ts';
import { openStorage } from '../open-storage.ts';
import { StorageError } from '../storage-error.ts';
import type { DatabaseOptions, SharedStorage } from '../storage.ts';
import { ANNE, createCommit, deltas, newRun } from '../test-fixtures/conversation.ts';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { checkDatabaseAt } from './check-at.ts';
import { PostgresConnection } from './connection.ts';
import { migratePostgresToLatest, POSTGRES_MIGRATIONS } from './migrate.ts';

const clock = createFakeClock();

async function withStorage<T>(
  url: string,
  use: (storage: SharedStorage) => Promise<T>,
  options: Partial<DatabaseOptions> = {},
): Promise<T> {
  const storage = await openStorage({ url, clock, ...options });
  try {
    return await use(storage);
  } finally {
    await storage.close();
  }
}

/** The error of opening a database; checks that it contains no password. */
async function refusal(url: string): Promise<StorageError> {
  const thrown: unknown = await withStorage(url, () => Promise.resolve(null)).catch((error: unknown) => error);
  if (!StorageError.isInstance(thrown)) throw new Error(`no StorageError: ${String(thrown)}`);
  expect(`${thrown.message} ${thrown.hint}`).not.toMatch(/geheim|a secret of/);
  return thrown;
}

async function startRun({ conversations, runs }: SharedStorage): Promise<void> {
  await conversations.create(ANNE, { id: 'c1', title: '', at: 1 });
  expect(await runs.createRun(ANNE, newRun('r1', 'c1'))).toMatchObject({ outcome: 'created' });
}

test('rejects an invalid URL without repeating it', async () => {
  for (const url of ['geheim', 'mysql://root:geheim@host/db', 'postgres://user:geheim@host', 'postgres://a:b@h/%zz']) {
    expect(await refusal(url)).toMatchObject({ problem: 'bad_url', code: 'bad_config' });
  }
});

describeOnDatabases('a PostgreSQL database', (cluster) => {
  test('that cannot be reached is named, with a hint, and without a password', async () => {
    const { getAddress, createDatabase, query } = cluster();
    expect(await refusal(getAddress('nowhere'))).toMatchObject({ problem: 'not_there', code: 'bad_config' });
    const url = await createDatabase();
    const name = new URL(url).pathname.slice(1);
    const wrong = await refusal(getAddress(name, { password: 'geheim' }));
    expect(wrong).toMatchObject({ problem: 'not_allowed', code: 'bad_config' });
    expect(wrong.message).toContain(`"${name}" at 127.0.0.1`);
    const unreachable = await refusal('postgres://user:geheim@127.0.0.1:1/db');
    expect(unreachable).toMatchObject({ problem: 'unreachable', retryable: true });
    await query(url, `CREATE ROLE guest LOGIN PASSWORD 'geheim'`, 'REVOKE CREATE ON SCHEMA public FROM public');
    const guest = await refusal(getAddress(name, { user: 'guest', password: 'geheim' }));
    expect(guest).toMatchObject({ problem: 'not_writable' });
  });

  test('opened by several processes at once is migrated once, and keeps its data', async () => {
    const url = await cluster().createDatabase();
    const opened = await Promise.all([1, 2, 3, 4].map(() => openStorage({ url, clock })));
    await Promise.all(
      opened.map(({ conversations }, index) => conversations.create(ANNE, { id: `c${index}`, title: '', at: 1 })),
    );
    for (const storage of opened) await storage.close();
    const listed = await withStorage(url, ({ conversations }) => conversations.list(ANNE, { limit: 9 }));
    expect(listed).toHaveLength(4);
  });

  test('of another program is rejected and left unchanged', async () => {
    const url = await cluster().createDatabase();
    await cluster().query(url, 'CREATE TABLE messages (recipe TEXT)');
    expect(await refusal(url)).toMatchObject({ problem: 'not_ours' });
    expect(await cluster().query(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`)).toHaveLength(1);
  });

  test('of a newer version is rejected if its migrations are incompatible, and used if they only add', async () => {
    const url = await cluster().createDatabase();
    await withStorage(url, startRun);
    await cluster().query(url, `INSERT INTO toolyard_migrations (name, kind) VALUES ('998-added', 'expand')`);
    expect(await withStorage(url, ({ runs }) => Promise.resolve(runs.getRun(ANNE, 'r1')))).toMatchObject({ id: 'r1' });
    await cluster().query(url, `INSERT INTO toolyard_migrations (name, kind) VALUES ('999-later', 'contract')`);
    expect(await refusal(url)).toMatchObject({ problem: 'newer_version', code: 'bad_config' });
    // Nor can the check declare it sound.
    await expect(checkDatabaseAt(url)).rejects.toMatchObject({ problem: 'newer_version' });
  });

  test('of a version before the first release is rejected and left unchanged', async () => {
    const url = await cluster().createDatabase();
    await withStorage(url, startRun);
    await cluster().query(url, `UPDATE toolyard_migrations SET name = '001-first'`);
    const stored = () =>
      cluster().query(
        url,
        `SELECT (SELECT json_agg(t) FROM pg_tables t WHERE schemaname = 'public') AS tables,
          (SELECT json_agg(m) FROM toolyard_migrations m) AS migrations, (SELECT json_agg(r) FROM runs r) AS runs`,
      );
    const before = await stored();
    const refused = await refusal(url);
    expect(refused).toMatchObject({ problem: 'prerelease', code: 'bad_config' });
    expect(refused.message).toContain('before its first release');
    await expect(checkDatabaseAt(url)).rejects.toMatchObject({ problem: 'prerelease' });
    expect(await stored()).toEqual(before);
  });

  test('gets a later migration once if several processes start at once, and keeps its data', async () => {
    const url = await cluster().createDatabase();
    await withStorage(url, startRun);
    const connections = [1, 2, 3, 4].map(() => new PostgresConnection({ url, connections: 1 }));
    const statements = ['CREATE TABLE added (x TEXT)', 'INSERT INTO added SELECT id FROM runs'];
    const later = { ...POSTGRES_MIGRATIONS, '002-added': { kind: 'expand' as const, statements } };
    try {
      await Promise.all(connections.map((connection) => migratePostgresToLatest(connection, later)));
      expect(await cluster().query(url, 'SELECT x FROM added')).toEqual([{ x: 'r1' }]);
    } finally {
      for (const connection of connections) await connection.close();
    }
  });

  test('keeps nothing of a failed migration', async () => {
    const url = await cluster().createDatabase();
    const connection = new PostgresConnection({ url });
    const step = (...statements: string[]) => ({ kind: 'expand' as const, statements });
    const tables = () => cluster().query(url, `SELECT tablename FROM pg_tables WHERE schemaname = 'public' ORDER BY 1`);
    const broken = { ...POSTGRES_MIGRATIONS, '002-added': step('CREATE TABLE a (x TEXT)', 'NONSENSE') };
    try {
      await expect(migratePostgresToLatest(connection, broken)).rejects.toMatchObject({ problem: 'engine' });
      expect(await tables()).toEqual([]);
      await migratePostgresToLatest(connection);
      const baseline = await tables();
      await expect(migratePostgresToLatest(connection, broken)).rejects.toMatchObject({ problem: 'engine' });
      expect(await tables()).toEqual(baseline);
      await migratePostgresToLatest(connection, { ...broken, '002-added': step('CREATE TABLE a (x TEXT)') });
      expect(await tables()).toEqual([{ tablename: 'a' }, ...baseline]);
    } finally {
      await connection.close();
    }
  });

  test('stores blobs once for all owners, until the last one removes them', async () => {
    const url = await cluster().createDatabase();
    const bert = { ownerId: 'bert' };
    const bytes = new Uint8Array(100_000).map((_none, index) => index % 256);
    await withStorage(url, async (storage) => {
      const { blobs } = storage;
      const of = { mimeType: 'x/y', at: 1 };
      const all = await Promise.all([ANNE, ANNE, bert].map((owner) => blobs.put(owner, bytes, of)));
      const { sha256 } = all[0] ?? { sha256: '' };
      expect(await blobs.info(ANNE, sha256)).toEqual({ sha256, size: 100_000, mimeType: 'x/y', createdAt: 1 });
      expect(await blobs.read(ANNE, sha256)).toEqual(bytes);
      expect(await blobs.read({ ownerId: 'carl' }, sha256)).toBeNull();
      expect(await blobs.remove(ANNE, sha256)).toBe(true);
      expect(await blobs.remove(ANNE, sha256)).toBe(false);
      expect([await blobs.read(ANNE, sha256), await blobs.read(bert, sha256)]).toEqual([null, bytes]);
      expect(await storage.check()).toEqual({ ok: true });
      await cluster().query(url, `UPDATE blob_bytes SET bytes = 'x'`);
      expect(await storage.check()).toEqual({ ok: false, problems: [expect.stringContaining(sha256)] });
      expect(await blobs.remove(bert, sha256)).toBe(true);
      expect(await cluster().query(url, 'SELECT 1 FROM blob_bytes')).toEqual([]);
    });
  });

  test('reports a run whose events have a gap', async () => {
    const url = await cluster().createDatabase();
    await withStorage(url, async (storage) => {
      await startRun(storage);
      await storage.runs.commit([createCommit('r1', { events: deltas('r1', 0, 3) })]);
      expect(await storage.check()).toEqual({ ok: true });
      await cluster().query(url, 'DELETE FROM run_events WHERE seq = 2');
      expect(await storage.check()).toEqual({ ok: false, problems: [expect.stringContaining('Run r1')] });
    });
  });

  test('that aborts one of two deadlocked transactions is asked for it again', async () => {
    const url = await cluster().createDatabase();
    await cluster().query(url, 'CREATE TABLE t (id INT PRIMARY KEY, n INT)', 'INSERT INTO t VALUES (1, 0), (2, 0)');
    const connection = new PostgresConnection({ url });
    const both = { begun: 0 };
    // Each waits until both have locked a row, so that a deadlock is certain.
    const untilBothHaveOne = `DO $$ BEGIN
      PERFORM pg_advisory_xact_lock_shared(1);
      WHILE (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())) < 2
      LOOP PERFORM pg_sleep(0.01); END LOOP;
    END $$`;
    const inOrder = (...ids: number[]): Promise<void> =>
      connection.perform(
        transaction('work', 'full', function* () {
          const isFirst = ++both.begun <= 2;
          for (const [index, id] of ids.entries()) {
            yield { text: 'UPDATE t SET n = n + 1 WHERE id = $1', values: [id] };
            if (isFirst && index === 0) yield { text: untilBothHaveOne, values: [] };
          }
        }),
      );
    try {
      await Promise.all([inOrder(1, 2), inOrder(2, 1)]);
      expect(both.begun).toBeGreaterThan(2);
      expect(await cluster().query(url, 'SELECT n FROM t ORDER BY id')).toEqual([{ n: 2 }, { n: 2 }]);
    } finally {
      await connection.close();
    }
  });
});

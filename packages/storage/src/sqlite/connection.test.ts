import { join } from 'node:path';
import { Kysely, sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { LedgerChange } from '@toolyard/protocol';
import { createFailpoints, createFakeClock } from '@toolyard/testing';
import { ANNE, createCommit, deltas, newRun } from '../test-fixtures/conversation.ts';
import { openRunStore, temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import { SqliteConnection } from './connection.ts';
import { createSqliteDialect } from './kysely-dialect.ts';
import { migrateSqliteToLatest, SQLITE_MIGRATIONS } from './migrate.ts';
import type { SyncRunStore } from './run-store.ts';

const FULL = 2;
const NORMAL = 1;

let folder: ReturnType<typeof temporaryFolder>;
let connection: SqliteConnection;
const failpoint = createFailpoints();

beforeEach(() => {
  folder = temporaryFolder();
  connection = new SqliteConnection(join(folder.path, 'test.db'), { failpoint });
});
afterEach(() => {
  for (const place of ['commit:written', 'work:written', 'work:committed']) failpoint.clear(place);
  connection.close();
  folder.remove();
});

const kysely = (transactions: 'allowed' | 'refused' = 'allowed'): Kysely<unknown> =>
  new Kysely<unknown>({ dialect: createSqliteDialect(connection, { transactions }) });

describe('synchronous commits', () => {
  let store: SyncRunStore;
  let seen: unknown[];

  beforeEach(async () => {
    await migrateSqliteToLatest(kysely(), connection);
    connection.database.exec(
      `INSERT INTO conversations (id, owner_id, title, configuration, pinned, created_at, updated_at)
       VALUES ('c1', 'anne', '', '{}', 0, 1, 1), ('c2', 'anne', '', '{}', 0, 1, 1)`,
    );
    store = openRunStore(connection, createFakeClock());
    store.createRun(ANNE, newRun('r1', 'c1'));
    store.createRun(ANNE, newRun('r2', 'c2'));
    seen = [];
    failpoint.at('commit:written', () => {
      seen.push(connection.database.prepare('PRAGMA synchronous').get()?.['synchronous']);
    });
  });

  test('a group with one such item is synced as a whole, the next one is not', () => {
    const plain = createCommit('r1', { events: deltas('r1', 0, 1) });
    const other = createCommit('r2', { events: deltas('r2', 0, 1), durability: 'full' });
    store.commit([plain, other]);
    store.commit([createCommit('r1', { baseSeq: 1, events: deltas('r1', 1, 1) })]);
    expect(seen).toEqual([FULL, NORMAL]);
  });

  test('sending a call is synced, whatever durability the caller asks for', () => {
    const plan: LedgerChange = { change: 'plan', callId: 'k', tool: { serverId: 's', name: 't' }, arguments: {} };
    store.commit([createCommit('r1', { ledger: [plan] })]);
    store.commit([createCommit('r1', { ledger: [{ change: 'move', callId: 'k', from: 'planned', to: 'sent' }] })]);
    expect(seen).toEqual([NORMAL, FULL]);
  });
});

describe('a transaction', () => {
  beforeEach(() => connection.database.exec('CREATE TABLE t (a INTEGER) STRICT'));
  const rows = (): number => connection.database.prepare('SELECT a FROM t').all().length;
  const insert = (): void => connection.database.exec('INSERT INTO t VALUES (1)');

  test('that fails on commit leaves nothing, and the next one works', () => {
    failpoint.at('work:written', () => {
      throw new Error('stop');
    });
    expect(() => connection.transaction('work', 'normal', insert)).toThrow('stop');
    expect(rows()).toBe(0);
    failpoint.clear('work:written');
    connection.transaction('work', 'full', insert);
    expect(rows()).toBe(1);
  });

  test('with full durability does not make later statements wait for the disk, even if it failed', () => {
    const mode = (): unknown => connection.database.prepare('PRAGMA synchronous').get()?.['synchronous'];
    connection.transaction('work', 'full', () => expect(mode()).toBe(FULL));
    expect(mode()).toBe(NORMAL);
    expect(() =>
      connection.transaction('work', 'full', () => {
        throw new Error('stop');
      }),
    ).toThrow('stop');
    expect(mode()).toBe(NORMAL);
  });

  test('that throws after its commit is stored', () => {
    failpoint.at('work:committed', () => {
      throw new Error('stop');
    });
    expect(() => connection.transaction('work', 'normal', insert)).toThrow('stop');
    expect(rows()).toBe(1);
  });
});

describe('Kysely on node:sqlite', () => {
  test('returns the rows of SELECT and RETURNING, and the number of rows of UPDATE', async () => {
    const db = kysely();
    await sql`CREATE TABLE t (a INTEGER, b TEXT) STRICT`.execute(db);
    const inserted = await sql<{ a: number }>`INSERT INTO t VALUES (1, 'x'), (2, 'y') RETURNING a`.execute(db);
    expect(inserted.rows).toEqual([{ a: 1 }, { a: 2 }]);
    expect((await sql`UPDATE t SET b = ${'z'} WHERE a = ${2}`.execute(db)).numAffectedRows).toBe(1n);
    for (const a of [1, 2]) {
      expect((await sql<{ a: number }>`SELECT a FROM t WHERE a = ${a}`.execute(db)).rows).toEqual([{ a }]);
    }
  });

  test('rejects a transaction across an await on the hot path, without damage', async () => {
    const db = kysely('refused');
    await expect(db.transaction().execute((trx) => sql`SELECT 1`.execute(trx))).rejects.toThrow(/await/);
    expect((await sql<{ one: number }>`SELECT 1 AS one`.execute(db)).rows).toEqual([{ one: 1 }]);
    expect(connection.database.isTransaction).toBe(false);
  });
});

describe('migrations', () => {
  const tables = (): string[] =>
    connection.database
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('runs', 'a', 'b') ORDER BY name`)
      .all()
      .map((row) => String(row['name']));
  const added = ['CREATE TABLE a (x TEXT) STRICT', `INSERT INTO a SELECT id FROM conversations`];

  test('a later one is applied once, to the data of the baseline', async () => {
    await migrateSqliteToLatest(kysely(), connection);
    connection.database.exec(
      `INSERT INTO conversations (id, owner_id, title, configuration, pinned, created_at, updated_at)
       VALUES ('c1', 'anne', '', '{}', 0, 1, 1)`,
    );
    const later = { ...SQLITE_MIGRATIONS, '002-added': added };
    await migrateSqliteToLatest(kysely(), connection, later);
    await migrateSqliteToLatest(kysely(), connection, later);
    expect(connection.prepare('SELECT x FROM a').all()).toEqual([{ x: 'c1' }]);
  });

  test('a failed one rolls back all of this start, and a later start applies them', async () => {
    const broken = { ...SQLITE_MIGRATIONS, '002-added': added, '003': ['CREATE TABLE b (x TEXT) STRICT', 'NONSENSE'] };
    await expect(migrateSqliteToLatest(kysely(), connection, broken)).rejects.toThrow(/NONSENSE/);
    expect(tables()).toEqual([]);
    await migrateSqliteToLatest(kysely(), connection);
    await expect(migrateSqliteToLatest(kysely(), connection, broken)).rejects.toThrow(/NONSENSE/);
    expect(tables()).toEqual(['runs']);
    await migrateSqliteToLatest(kysely(), connection, { ...broken, '003': ['CREATE TABLE b (x TEXT) STRICT'] });
    expect(tables()).toEqual(['a', 'b', 'runs']);
  });
});

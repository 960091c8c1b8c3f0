import { Socket } from 'node:net';
import pg from 'pg';
import type { Clock } from '@toolyard/protocol';
import { openDatabase } from '../postgres/open-database.ts';
import type { SharedStorage } from '../storage.ts';
import type { EngineUnderTest } from './conformance/setup.ts';
import { createCommands } from './commands.ts';
import type { Databases } from '@toolyard/testing/postgres';

/**
 * Empties all tables except for rows of the migrations. Ten times faster than TRUNCATE, which creates new files for
 * each table; no order is needed, because foreign keys are disabled.
 */
const CLEARING = `DO $$ BEGIN
  SET LOCAL session_replication_role = replica;
  EXECUTE (SELECT string_agg(format('DELETE FROM %I', tablename), '; ')
    FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('toolyard_migrations', 'installation'));
END $$`;

const connections = new Map<string, Promise<pg.Client>>();

/** One connection per database: opening one costs more than the statements of most tests. */
async function keptQuery(url: string, ...statements: string[]): Promise<void> {
  let opened = connections.get(url);
  if (opened === undefined) {
    // unref: the worker process may exit while the connection is open.
    const stream = (): Socket => new Socket().unref();
    const client = new pg.Client({ connectionString: url, query_timeout: 120_000, stream });
    // A lost connection, for example after a test that ends all connections of its database, is reopened.
    const forget = (): void => void connections.delete(url);
    client.on('error', forget).on('end', forget);
    opened = client.connect().then(() => client);
    connections.set(url, opened);
  }
  const client = await opened;
  for (const statement of statements) await client.query(statement);
}

/** A database that is emptied for each test: creating a new one takes a second. */
export function createDatabases(cluster: () => Databases): () => Promise<string> {
  let made: string | undefined;
  return async () => {
    if (made === undefined) return (made = await cluster().createDatabase());
    await keptQuery(made, CLEARING);
    return made;
  };
}

/** For `openDatabase`: leases are timed by {@link placeTestClock}. */
export const TEST_CLOCK = '(SELECT ms FROM test_clock)';

/** Puts the clock of a test into a table, for all processes that have the database open; returns its setter. */
export async function placeTestClock(url: string): Promise<(ms: number) => Promise<void>> {
  await keptQuery(url, 'CREATE TABLE IF NOT EXISTS test_clock (ms BIGINT NOT NULL)');
  return async (ms) => {
    await keptQuery(url, 'DELETE FROM test_clock', `INSERT INTO test_clock VALUES (${Math.trunc(ms)})`);
  };
}

/** PostgreSQL with leases timed by the clock of the test. */
export async function openPostgresEngine(url: string, clock: Clock): Promise<EngineUnderTest> {
  const clockAdvanced = await placeTestClock(url);
  await clockAdvanced(clock.monotonic());
  const opened: SharedStorage[] = [];
  const open = async (): Promise<SharedStorage> => {
    const storage = await openDatabase({ url, clock }, TEST_CLOCK);
    opened.push(storage);
    return storage;
  };
  const storage = await open();
  let first = true;
  return {
    clockAdvanced,
    async handle() {
      const { runs } = first ? storage : await open();
      first = false;
      return runs;
    },
    ...createCommands(storage),
    async close() {
      for (const each of opened) await each.close();
    },
  };
}

import type { Clock } from '@toolyard/protocol';
import { openDatabase } from '../postgres/open-database.ts';
import type { SharedStorage } from '../storage.ts';
import type { EngineUnderTest } from './conformance/bench.ts';
import { doorsOf } from './doors.ts';
import type { Databases } from '@toolyard/testing/postgres';

/**
 * Empties whatever tables there are but for what the migrations wrote. Ten times as fast as TRUNCATE, which makes new
 * files for each of them; no order is needed where references are not looked at.
 */
const CLEARING = `DO $$ BEGIN
  SET LOCAL session_replication_role = replica;
  EXECUTE (SELECT string_agg(format('DELETE FROM %I', tablename), '; ')
    FROM pg_tables WHERE schemaname = 'public' AND tablename NOT IN ('toolyard_migrations', 'installation'));
END $$`;

/** A database that is emptied each time it is asked for: making a new one takes a second. */
export function createDatabases(cluster: () => Databases): () => Promise<string> {
  let made: string | undefined;
  return async () => {
    if (made === undefined) return (made = await cluster().createDatabase());
    await cluster().query(made, CLEARING);
    return made;
  };
}

/** For `openDatabase`: leases are timed by {@link placeTestClock}. */
export const TEST_CLOCK = '(SELECT ms FROM test_clock)';

/** Puts the clock of a test into a table of the database, for all processes that have it open; gives what sets it. */
export async function placeTestClock({ query }: Databases, url: string): Promise<(ms: number) => Promise<void>> {
  await query(url, 'CREATE TABLE IF NOT EXISTS test_clock (ms BIGINT NOT NULL)');
  return async (ms) => {
    await query(url, 'DELETE FROM test_clock', `INSERT INTO test_clock VALUES (${Math.trunc(ms)})`);
  };
}

/** PostgreSQL with its leases timed by the clock of the test. */
export async function openPostgresEngine(cluster: Databases, url: string, clock: Clock): Promise<EngineUnderTest> {
  const timePassed = await placeTestClock(cluster, url);
  await timePassed(clock.monotonic());
  const opened: SharedStorage[] = [];
  const open = async (): Promise<SharedStorage> => {
    const storage = await openDatabase({ url, clock }, TEST_CLOCK);
    opened.push(storage);
    return storage;
  };
  const storage = await open();
  let first = true;
  return {
    timePassed,
    async handle() {
      const { runs } = first ? storage : await open();
      first = false;
      return runs;
    },
    ...doorsOf(storage),
    async close() {
      for (const each of opened) await each.close();
    },
  };
}

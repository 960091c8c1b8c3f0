import type { Clock } from '@toolyard/protocol';
import { openDatabase } from '../postgres/open-database.ts';
import type { SharedStorage } from '../storage.ts';
import type { EngineUnderTest } from './conformance/bench.ts';
import { doorsOf } from './doors.ts';
import type { Cluster } from '@toolyard/testing/postgres';

/** Everything a database keeps, as `TRUNCATE` is told it; what refers to these goes with them. */
const TABLES = 'conversations, agents, settings, permissions, secrets, blob_bytes, usage_sums, webhooks, announcements';

/** Databases that were emptied, to be used again: making a new one takes a second. */
export function createDatabases(cluster: () => Cluster): () => Promise<string> {
  let made: string | undefined;
  return async () => {
    if (made === undefined) made = await cluster().createDatabase();
    else await cluster().query(made, `TRUNCATE ${TABLES} RESTART IDENTITY CASCADE`);
    return made;
  };
}

/** For `openDatabase`: leases are timed by {@link placeTestClock}. */
export const TEST_CLOCK = '(SELECT ms FROM test_clock)';

/** Puts the clock of a test into a table of the database, for all processes that have it open; gives what sets it. */
export async function placeTestClock({ query }: Cluster, url: string): Promise<(ms: number) => Promise<void>> {
  await query(url, 'CREATE TABLE IF NOT EXISTS test_clock (ms BIGINT NOT NULL)');
  return async (ms) => {
    await query(url, 'DELETE FROM test_clock', `INSERT INTO test_clock VALUES (${Math.trunc(ms)})`);
  };
}

/** PostgreSQL with its leases timed by the clock of the test. */
export async function openPostgresEngine(cluster: Cluster, url: string, clock: Clock): Promise<EngineUnderTest> {
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

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import type { SharedStorage } from '../storage.ts';
import { ANNE } from '../test-fixtures/conversation.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';

const clock = createFakeClock();
const DAY = '2026-11-21';

/** Adds one call of a run, like a process that does not know the daily sums. */
const call = (runId: string, tokens: number | null): string => `
  INSERT INTO usage_sums (owner_id, day, run_id, kind, source, name, for_tool, place, conversation_id, agent_id, calls,
    failures, duration_ms, cost, unpriced, uncounted, input_tokens)
  VALUES ('${ANNE.ownerId}', '${DAY}', '${runId}', 'model', 'p', 'm', '', 'server', 'c', 'a', 1, 0, 5, 0.25, 0, 0, ${tokens ?? 'NULL'})
  ON CONFLICT (owner_id, day, run_id, kind, source, name, for_tool, place) DO UPDATE SET calls = usage_sums.calls + 1,
    cost = usage_sums.cost + 0.25, duration_ms = usage_sums.duration_ms + 5,
    input_tokens = CASE WHEN excluded.input_tokens IS NULL THEN usage_sums.input_tokens
      ELSE coalesce(usage_sums.input_tokens, 0) + excluded.input_tokens END`;

const totals = async (storage: SharedStorage) => {
  const { rows, total } = await storage.usage.report(ANNE, { by: 'day', from: DAY, to: DAY });
  expect(rows).toMatchObject([{ key: DAY, ...total }]);
  const at = Date.parse(DAY);
  const spent = await storage.usage.spent(ANNE, { of: 'day', calls: 1 }, { conversationId: null, agentId: null, at });
  expect(spent).toMatchObject({ calls: total.modelCalls, tokens: total.usage.inputTokens ?? 0, dollars: total.cost });
  return { calls: total.modelCalls, cost: total.cost, tokens: total.usage.inputTokens, ms: total.durationMs };
};

/** Counts that may be null are added up as well. */
async function expectSums(storage: SharedStorage, write: (sql: string) => Promise<unknown>): Promise<void> {
  await write(call('r1', null));
  await write(call('r2', null));
  expect(await totals(storage)).toEqual({ calls: 2, cost: 0.5, tokens: undefined, ms: 10 });
  await write(call('r1', 3));
  await write(call('r1', null));
  await write(call('r3', 4));
  await write(call('r3', 4));
  expect(await totals(storage)).toEqual({ calls: 6, cost: 1.5, tokens: 11, ms: 30 });
}

test('daily sums are maintained by the database (SQLite)', async () => {
  const folder = temporaryFolder();
  const storage = await openStorage({ folder: folder.path, clock });
  const writer = new DatabaseSync(join(folder.path, DATABASE_FILE));
  try {
    await expectSums(storage, async (sql) => writer.exec(sql));
  } finally {
    writer.close();
    storage.close();
    folder.remove();
  }
});

describeOnDatabases('daily usage sums', (cluster) => {
  test('are maintained by the database', async () => {
    const url = await cluster().createDatabase();
    const storage = await openStorage({ url, clock });
    try {
      await expectSums(storage, (sql) => cluster().query(url, sql));
    } finally {
      await storage.close();
    }
  });
});

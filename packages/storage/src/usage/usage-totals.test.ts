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

/** Adds one call of a run, like a process that does not know the totals. */
const call = (runId: string, tokens: number | null, { day = DAY, kind = 'model' } = {}): string => `
  INSERT INTO usage_sums (owner_id, day, run_id, kind, source, name, for_tool, place, conversation_id, agent_id, calls,
    failures, duration_ms, cost, unpriced, uncounted, input_tokens)
  VALUES ('${ANNE.ownerId}', '${day}', '${runId}', '${kind}', 'p', 'm', '', 'server', 'c', 'a', 1, 0, 5, 0.25, 0, 0, ${tokens ?? 'NULL'})
  ON CONFLICT (owner_id, day, run_id, kind, source, name, for_tool, place) DO UPDATE SET calls = usage_sums.calls + 1,
    cost = usage_sums.cost + 0.25, duration_ms = usage_sums.duration_ms + 5,
    input_tokens = CASE WHEN excluded.input_tokens IS NULL THEN usage_sums.input_tokens
      ELSE coalesce(usage_sums.input_tokens, 0) + excluded.input_tokens END`;

const ofConversation = async (storage: SharedStorage, from: string) =>
  (await storage.usage.report(ANNE, { by: 'conversation', from, to: DAY })).rows;

const totals = async (storage: SharedStorage) => {
  const { rows, total } = await storage.usage.report(ANNE, { by: 'day', from: DAY, to: DAY });
  expect(rows).toMatchObject([{ key: DAY, ...total }]);
  const at = Date.parse(DAY);
  const spent = await storage.usage.spent(ANNE, { of: 'day', calls: 1 }, { conversationId: null, agentId: null, at });
  expect(spent).toMatchObject({ calls: total.modelCalls, tokens: total.usage.inputTokens ?? 0, dollars: total.cost });
  expect(await ofConversation(storage, DAY)).toMatchObject([{ ...total, key: 'c' }]);
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

  // Usage of a conversation is a total if the period includes all days, else a sum of runs.
  await write(call('r0', 2, { day: '2026-11-20' }));
  await write(call('r3', null, { kind: 'tool' }));
  const counted = { modelCalls: 6, toolCalls: 1, cost: 1.75, durationMs: 35, usage: { inputTokens: 11 } };
  expect(await ofConversation(storage, DAY)).toMatchObject([counted]);
  const all = { modelCalls: 7, toolCalls: 1, cost: 2, durationMs: 40, usage: { inputTokens: 13 } };
  expect(await ofConversation(storage, '2026-11-20')).toMatchObject([all]);
  expect(await ofConversation(storage, '2026-01-01')).toMatchObject([all]);
}

test('totals are maintained by the database (SQLite)', async () => {
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

describeOnDatabases('totals of usage', (cluster) => {
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

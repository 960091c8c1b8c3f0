import { join } from 'node:path';
import { expect, it } from 'vitest';
import { systemClock } from '@toolyard/protocol';
import type { SharedStorage } from '@toolyard/storage';
import { openStorage } from '@toolyard/storage';
import { describeOnDatabases } from '@toolyard/testing/on-postgres';
import { fillStorage } from '../packages/storage/src/test-fixtures/fill-storage.ts';
import { growSqlite } from '../packages/storage/src/test-fixtures/grow-history.ts';
import type { GrowingStep } from './query-plans/growing-step.ts';
import { growingInPostgres, growPostgres } from './query-plans/postgres-plans.ts';
import type { RecordedStatement } from './query-plans/recorded-statements.ts';
import { recordStatements } from './query-plans/recorded-statements.ts';
import { growingInSqlite } from './query-plans/sqlite-plans.ts';
import { call } from './support/api.ts';
import { ServerInstances } from './support/server-instances.ts';
import { CONVERSATION, TestUser } from './support/test-user.ts';

/** The local user. */
const OWNER = 'owner';
/** Ended conversations. */
const COPIES = 10_000;
/** More rows than one page or one run has here, and fewer than the history. */
const MANY = 2_000;

/** What the page requests for its sidebar and a chat. */
const PAGE_REQUESTS = [
  '/api/conversations?limit=50',
  `/api/conversations/${CONVERSATION}`,
  `/api/conversations/${CONVERSATION}/messages`,
  `/api/conversations/${CONVERSATION}/queue`,
  `/api/drafts/${CONVERSATION}`,
  '/api/drafts/new',
  '/api/interrupts?status=open',
  `/api/runs?conversation=${CONVERSATION}`,
  '/api/runs?limit=50',
];

/** Steps that look like growing ones, and why they are not. */
const BOUNDED: readonly { in: RegExp; step: RegExp; because: string }[] = [
  {
    in: /SELECT MAX\(created_at\) FROM runs/,
    step: /runs_of_owner|Index Only Scan runs/,
    because: 'reads the last entry of the index',
  },
  {
    in: /FROM interrupts .* i\.status = \?2 .* ORDER BY i\.opened_at, i\.id LIMIT/s,
    step: /interrupts_of_owner \(owner_id=\? AND status=\?\)/,
    because: 'reads one page in the order of the index',
  },
  {
    in: /from "conversations" where "owner_id" = \? and "parent_id" is null .* limit \?/s,
    step: /conversations_listed \(owner_id=\? AND temporary=\?\)/,
    because: 'reads one page in the order of the index',
  },
  {
    in: /WHERE r\.owner_id = \?1 AND \(SELECT c\.deleted_at IS NULL .* LIMIT/s,
    step: /runs_of_owner \(owner_id=\?\)/,
    because: 'reads one page in the order of the index',
  },
];

/** One exchange with a tool call that asks, then the chat and the sidebar. */
async function exchange(url: string): Promise<void> {
  await new TestUser(() => ({ decision: 'repeat' })).goOn(url);
  for (const path of PAGE_REQUESTS) await call(url, 'GET', path);
}

async function fill(storage: SharedStorage): Promise<void> {
  await fillStorage(storage);
  await storage.close();
}

async function recordExchange(lives: ServerInstances): Promise<RecordedStatement[]> {
  const server = await lives.startHere();
  const statements = await recordStatements(() => exchange(server.url));
  await server.end();
  // Of each kind: a message, the event of a token, a call, an answer, the list.
  for (const table of ['messages', 'run_events', 'tool_ledger', 'interrupts', 'conversations']) {
    expect(statements.filter(({ sql }) => sql.includes(table))).not.toEqual([]);
  }
  return statements;
}

function unexplained(growing: readonly GrowingStep[]): GrowingStep[] {
  return growing.filter(
    (each) => !BOUNDED.some((bounded) => bounded.in.test(each.sql) && bounded.step.test(each.step)),
  );
}

it('executes no statement on SQLite that reads more the longer the history is', async () => {
  await using lives = await ServerInstances.of([1]);
  await fill(await openStorage({ folder: lives.dataDir, clock: systemClock }));
  const file = join(lives.dataDir, 'toolyard.db');
  growSqlite(file, OWNER, COPIES);
  const statements = await recordExchange(lives);
  expect(unexplained(growingInSqlite(file, statements, MANY))).toEqual([]);
});

describeOnDatabases('PostgreSQL', (cluster) => {
  it('executes no statement that reads more the longer the history is', async () => {
    const url = await cluster().createDatabase();
    await fill(await openStorage({ url, clock: systemClock }));
    await growPostgres(url, OWNER, COPIES);
    await using lives = await ServerInstances.of([1], { database: { url } });
    const statements = await recordExchange(lives);
    expect(unexplained(await growingInPostgres(url, statements, MANY))).toEqual([]);
  });
});

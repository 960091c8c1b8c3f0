import { join } from 'node:path';
import { Kysely } from 'kysely';
import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { DATABASE_FILE } from '../layout.ts';
import { openStorage } from '../open-storage.ts';
import type { Storage } from '../storage.ts';
import { ANNE, userMessage, reply } from '../test-fixtures/conversation.ts';
import { temporaryFolder } from '../test-fixtures/sqlite-engine.ts';
import { SqliteConnection } from './connection.ts';
import { createSqliteDialect } from './kysely-dialect.ts';
import { migrateSqliteToLatest } from './migrate.ts';
import { first } from './migrations/001-first.ts';

const snippets = async (storage: Storage, query: string): Promise<string[]> =>
  (await storage.conversations.search(ANNE, { query, limit: 9 })).map(({ snippet }) =>
    snippet.replaceAll('\u0002', '[').replaceAll('\u0003', ']'),
  );

test('opening a database without search indexes it', async () => {
  const old = temporaryFolder();
  const connection = new SqliteConnection(join(old.path, DATABASE_FILE));
  const db = new Kysely<unknown>({ dialect: createSqliteDialect(connection, { transactions: 'allowed' }) });
  await migrateSqliteToLatest(db, connection, { '001-first': first });
  const insert = connection.prepare(`
    INSERT INTO messages (conversation_id, id, parent_id, owner_id, role, created_at, message)
    VALUES ('c1', ?, ?, 'anne', ?, 1, ?)`);
  connection.database.exec(`
    INSERT INTO conversations (id, owner_id, title, configuration, pinned, created_at, updated_at)
    VALUES ('c1', 'anne', '東京の時間', '{}', 0, 1, 1)`);
  const firstMessage = userMessage('q', null);
  const pending = { ...reply('a', { parentId: 'q', runId: 'r', text: 'half' }), finishReason: 'pending' as const };
  const abandoned = { ...reply('b', { parentId: 'q', runId: 'r', text: 'lost' }), finishReason: 'abandoned' as const };
  for (const message of [firstMessage, pending, abandoned]) {
    insert.run(message.id, message.parentId, message.role, JSON.stringify(message));
  }
  connection.close();
  const storage = await openStorage({ folder: old.path, clock: createFakeClock() });
  try {
    expect(await snippets(storage, '時間')).toEqual(['東京の[時間]']);
    expect(await snippets(storage, 'tokyo')).toEqual(['What time is it in [Tokyo]?']);
    expect(await snippets(storage, 'half')).toEqual([]);
    const page = await storage.messages.page(ANNE, 'c1', { limit: 9, leafId: 'a' });
    expect(page).toMatchObject({ messages: [{ id: 'q' }, { id: 'a' }], abandoned: [{ id: 'b' }], alternatives: {} });
    expect(await storage.check()).toEqual({ ok: true });
  } finally {
    storage.close();
    old.remove();
  }
});

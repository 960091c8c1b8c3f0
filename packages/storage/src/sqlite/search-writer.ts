import type { SearchWriter } from '../engine/search.ts';
import { MAX_INDEXED_LENGTH, searchableText } from '../engine/search.ts';
import type { Statement, StoreWork } from '../engine/work.ts';
import { searchText } from '../search-text.ts';

type Prepare = <Row>(sql: string) => Statement<Row>;

/** Full-text index with FTS5, see `migrations/001-baseline.ts`. */
export function createSqliteSearchWriter(prepare: Prepare): SearchWriter {
  const find = prepare<{ id: number }>('SELECT id FROM search_rows WHERE conversation_id = ? AND message_id = ?');
  const add = prepare<{ id: number }>(`
    INSERT INTO search_rows (conversation_id, message_id, owner_id) VALUES (?, ?, ?) RETURNING id`);
  const insert = prepare('INSERT INTO search_index (rowid, title, body) VALUES (?, ?, ?)');
  const replace = prepare('INSERT OR REPLACE INTO search_index (rowid, title, body) VALUES (?, ?, ?)');

  function* write(
    conversationId: string,
    messageId: string,
    ownerId: string,
    texts: [title: string, body: string],
  ): StoreWork<void> {
    const known = yield* find.get(conversationId, messageId);
    if (known) {
      yield* replace.run(known.id, ...texts);
      return;
    }
    // An answer of tool calls only has no text.
    if (texts.every((text) => text === '')) return;
    const added = yield* add.get(conversationId, messageId, ownerId);
    if (added) yield* insert.run(added.id, ...texts);
  }

  return {
    title: (title, { conversationId, ownerId }) =>
      write(conversationId, '', ownerId, [searchText(title.slice(0, MAX_INDEXED_LENGTH)), '']),
    *message(message, { conversationId, ownerId }) {
      const text = searchableText(message);
      if (text === null) return;
      yield* write(conversationId, message.id, ownerId, ['', searchText(text.slice(0, MAX_INDEXED_LENGTH))]);
    },
  };
}

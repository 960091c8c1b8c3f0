import type { FoundRow, SearchFinder, SearchWriter } from '../engine/search.ts';
import { MAX_FINDS, MAX_INDEXED_LENGTH, searchableText } from '../engine/search.ts';
import type { Statement, Work } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import { searchText, toMatch } from '../search-text.ts';

type Prepare = <Row>(sql: string) => Statement<Row>;

/** Full text by FTS5, see `migrations/003-search.ts`. */
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
  ): Work<void> {
    const known = yield* find.get(conversationId, messageId);
    if (known) {
      yield* replace.run(known.id, ...texts);
      return;
    }
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

/** Above every id. */
const TITLE_FIRST = 2 ** 52;

export function createSqliteSearchFinder(prepare: Prepare): SearchFinder {
  // A cross join keeps its order: the index is read backwards, and no further than needed.
  const finds = (column: 'title' | 'body'): string => `
    SELECT * FROM (
      SELECT s.id, s.conversation_id, s.message_id FROM search_index CROSS JOIN search_rows AS s
      WHERE search_index.${column} MATCH ?1 AND s.id = search_index.rowid AND s.owner_id = ?2
        AND EXISTS (SELECT 1 FROM conversations WHERE id = s.conversation_id AND deleted_at IS NULL)
      ORDER BY search_index.rowid DESC LIMIT ${MAX_FINDS})`;
  // With max() the other columns are those of its row: the title, else the message that came last.
  const find = prepare<FoundRow>(`
    WITH best AS (
      SELECT conversation_id, message_id, max((message_id = '') * ${TITLE_FIRST} + id) AS rank
      FROM (${finds('title')} UNION ALL ${finds('body')}) GROUP BY conversation_id
    )
    SELECT c.id AS conversation_id, c.title, m.message
    FROM best JOIN conversations AS c ON c.id = best.conversation_id
    LEFT JOIN messages AS m ON m.conversation_id = best.conversation_id AND m.id = best.message_id
    ORDER BY best.message_id = '' DESC, c.updated_at DESC, c.id DESC LIMIT ?3`);
  return ({ ownerId }, { terms, limit }) => statements(() => find.all(toMatch(terms), ownerId, limit));
}

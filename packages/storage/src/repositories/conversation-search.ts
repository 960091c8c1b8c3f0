import type { Message, Principal } from '@toolyard/protocol';
import type { Term } from '../search-text.ts';
import { termsOf, toMatch } from '../search-text.ts';
import { snippetOf } from '../snippet.ts';
import type { Reading } from '../sqlite/read-connection.ts';
import { searchableText } from '../sqlite/search-rows.ts';
import { decodeJson } from '../text.ts';

/** A conversation with what was looked for, and the words around it: the finds between U+0002 and U+0003. */
export type Hit = { conversationId: string; snippet: string };

/**
 * So many finds are looked at, the newest first: what somebody looks for with a word that stands everywhere is recent,
 * and nobody else has to wait.
 */
const MAX_FINDS = 2_000;

/** Above every id. */
const TITLE_FIRST = 2 ** 52;

type Row = { conversation_id: string; title: string; message: string | null };

/** Conversations with all the terms in their title or in one of their messages: titles first, then the latest. */
export function createConversationSearch(
  connection: Reading,
): (principal: Principal, query: { query: string; limit: number }) => Hit[] {
  // A cross join keeps its order: the index is read backwards, and no further than needed.
  const finds = (column: 'title' | 'body'): string => `
    SELECT * FROM (
      SELECT s.id, s.conversation_id, s.message_id FROM search_index CROSS JOIN search_rows AS s
      WHERE search_index.${column} MATCH ?1 AND s.id = search_index.rowid AND s.owner_id = ?2
        AND EXISTS (SELECT 1 FROM conversations WHERE id = s.conversation_id AND deleted_at IS NULL)
      ORDER BY search_index.rowid DESC LIMIT ${MAX_FINDS})`;
  // With max() the other columns are those of its row: the title, else the message that came last.
  const find = connection.prepare(`
    WITH best AS (
      SELECT conversation_id, message_id, max((message_id = '') * ${TITLE_FIRST} + id) AS rank
      FROM (${finds('title')} UNION ALL ${finds('body')}) GROUP BY conversation_id
    )
    SELECT c.id AS conversation_id, c.title, m.message
    FROM best JOIN conversations AS c ON c.id = best.conversation_id
    LEFT JOIN messages AS m ON m.conversation_id = best.conversation_id AND m.id = best.message_id
    ORDER BY best.message_id = '' DESC, c.updated_at DESC, c.id DESC LIMIT ?3`);

  return ({ ownerId }, { query, limit }) => {
    const terms = termsOf(query);
    if (terms.length === 0) return [];
    return connection.guard(() => {
      const rows = find.all(toMatch(terms), ownerId, limit) as Row[];
      return rows.map((row) => ({ conversationId: row.conversation_id, snippet: snippetOfRow(row, terms) }));
    });
  };
}

function snippetOfRow({ title, message }: Row, terms: readonly Term[]): string {
  if (message === null) return snippetOf(title, terms);
  // Only this room writes the column, from messages.
  return snippetOf(searchableText(decodeJson(message) as unknown as Message) ?? '', terms);
}

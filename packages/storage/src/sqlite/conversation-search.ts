import type { Owner } from '@toolyard/protocol';
import type { SearchMatchRow, SearchHit, SearchQuery } from '../repositories/conversation-search.ts';
import { SEARCH_MATCHES, toHits } from '../repositories/conversation-search.ts';
import type { Term } from '../search-text.ts';
import { toTerms, toMatch, toWholeWords } from '../search-text.ts';
import type { ReadSource } from './read-connection.ts';

/** Searches synchronously on a given connection. */
export function createConversationSearch(
  connection: ReadSource,
): (principal: Owner, query: SearchQuery) => SearchHit[] {
  // CROSS JOIN fixes the join order: the index is read backwards, and only as far as needed.
  const matches = (column: 'title' | 'body'): string => `
    SELECT * FROM (
      SELECT s.id, s.conversation_id, s.message_id FROM search_index CROSS JOIN search_rows AS s
      WHERE search_index.${column} MATCH ?1 AND s.id = search_index.rowid AND s.owner_id = ?2
        AND EXISTS (SELECT 1 FROM conversations WHERE id = s.conversation_id AND deleted_at IS NULL)
      ORDER BY search_index.rowid DESC LIMIT ?4)`;
  // The latest matching message, also if the title matches: titles repeat the first message, which a result then leads to.
  // Messages are joined only for the hits: they are long, and a common word occurs in thousands.
  const find = connection.prepare(`
    WITH best AS (
      SELECT conversation_id, max(message_id = '') AS titled, max(iif(message_id = '', NULL, id)) AS row_id
      FROM (${matches('title')} UNION ALL ${matches('body')}) GROUP BY conversation_id
    ), hits AS (
      SELECT c.id, c.title, c.updated_at, best.titled, best.row_id
      FROM best JOIN conversations AS c ON c.id = best.conversation_id
      ORDER BY best.titled DESC, c.updated_at DESC, c.id DESC LIMIT ?3
    )
    SELECT hits.id AS conversation_id, hits.title, m.message
    FROM hits LEFT JOIN search_rows AS s ON s.id = hits.row_id
      LEFT JOIN messages AS m ON m.conversation_id = hits.id AND m.id = s.message_id
    ORDER BY hits.titled DESC, hits.updated_at DESC, hits.id DESC`);
  return ({ ownerId }, { query, limit }) => {
    const terms = toTerms(query);
    if (terms.length === 0) return [];
    const among = (wanted: readonly Term[], matches: number): SearchMatchRow[] =>
      find.all(toMatch(wanted), ownerId, limit, matches) as SearchMatchRow[];
    return connection.guard(() => {
      const newest = among(toWholeWords(terms), SEARCH_MATCHES.few);
      return toHits(newest.length < limit ? among(terms, SEARCH_MATCHES.most) : newest, terms);
    });
  };
}

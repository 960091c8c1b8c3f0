import type { StorageEngine } from '../engine/engine.ts';
import type { SearchWriter } from '../engine/search.ts';
import { MAX_INDEXED_LENGTH, searchableText } from '../engine/search.ts';
import type { Statement } from '../engine/work.ts';
import { statements } from '../engine/work.ts';
import type { SearchMatchRow, ConversationSearch } from '../repositories/conversation-search.ts';
import { SEARCH_MATCHES, toHits } from '../repositories/conversation-search.ts';
import type { Term } from '../search-text.ts';
import { bigrams, searchText, toTerms } from '../search-text.ts';

type Prepare = <Row>(sql: string) => Statement<Row>;

/** Maximum token length in UTF-16 units of up to three bytes: PostgreSQL rejects longer ones. */
const MAX_TOKEN_LENGTH = 500;
/** How many rows are compared before the index is used: titles are short, messages are read in full. */
const NEWEST_TITLES = 2_000;
const NEWEST_MESSAGES = 400;
/** Maximum position in a tsvector: words after it are found, but not phrases of CJK characters. */
const MAX_POSITION = 16_383;

/**
 * Full-text index with `tsvector`. The vectors are built here and not by `to_tsvector`, whose parser does not support
 * CJK bigrams and depends on the locale of the database.
 */
export function createPostgresSearchWriter(prepare: Prepare): SearchWriter {
  const upsert = prepare(`
    INSERT INTO search_rows (conversation_id, message_id, owner_id, title, body)
    VALUES (?, ?, ?, CAST(CAST(? AS TEXT) AS TSVECTOR), CAST(CAST(? AS TEXT) AS TSVECTOR))
    ON CONFLICT (conversation_id, message_id) DO UPDATE SET title = excluded.title, body = excluded.body`);
  const remove = prepare('DELETE FROM search_rows WHERE conversation_id = ? AND message_id = ?');
  return {
    *title(title, { conversationId, ownerId }) {
      yield* upsert.run(conversationId, '', ownerId, toVector(title), '');
    },
    *message(message, { conversationId, ownerId }) {
      const text = searchableText(message);
      if (text === null) return;
      const body = toVector(text);
      // An answer of tool calls only has no text, but an earlier version may be indexed.
      if (body === '') yield* remove.run(conversationId, message.id);
      else yield* upsert.run(conversationId, message.id, ownerId, '', body);
    },
  };
}

export function createPostgresSearch({ prepare, perform }: StorageEngine): ConversationSearch {
  // A common word is in the newest rows, whose vectors are compared one by one; the index would return every match.
  const newest = prepare<SearchMatchRow>(
    hitsAmong((column) => {
      const [rows, count] = column === 'title' ? ["= ''", NEWEST_TITLES] : ["<> ''", NEWEST_MESSAGES];
      return `(SELECT * FROM search_rows WHERE owner_id = ?2 AND message_id ${rows} ORDER BY id DESC LIMIT ${count})`;
    }),
  );
  const all = prepare<SearchMatchRow>(hitsAmong(() => 'search_rows'));
  return async ({ ownerId }, { query, limit }) => {
    const terms = toTerms(query);
    if (terms.length === 0) return [];
    const find = (statement: Statement<SearchMatchRow>): Promise<SearchMatchRow[]> =>
      perform(statements(() => statement.all(toQuery(terms), ownerId, limit)));
    const hits = await find(newest);
    return toHits(hits.length < limit ? await find(all) : hits, terms);
  };
}

/** A statement for the hits in a table expression like search_rows; parameters: query, owner, limit. */
function hitsAmong(rowsWith: (column: 'title' | 'body') => string): string {
  // OFFSET 0 keeps the planner from joining all conversations: each is looked up by key, for the newest matches only.
  const matches = (column: 'title' | 'body'): string => `(
    SELECT * FROM (
      SELECT s.id, s.conversation_id, s.message_id FROM ${rowsWith(column)} AS s
      WHERE s.${column} @@ CAST(CAST(?1 AS TEXT) AS TSQUERY) AND s.owner_id = ?2
      ORDER BY s.id DESC OFFSET 0
    ) AS newest
    WHERE (SELECT deleted_at IS NULL FROM conversations WHERE id = newest.conversation_id) LIMIT ${SEARCH_MATCHES.most})`;
  return `
    WITH best AS (
      SELECT conversation_id, bool_or(message_id = '') AS titled, max(id) FILTER (WHERE message_id <> '') AS row_id
      FROM (${matches('title')} UNION ALL ${matches('body')}) AS f GROUP BY conversation_id
    ), hits AS (
      SELECT c.id, c.title, c.updated_at, best.titled, best.row_id
      FROM best CROSS JOIN LATERAL (
        SELECT id, title, updated_at FROM conversations WHERE id = best.conversation_id OFFSET 0
      ) AS c
      ORDER BY best.titled DESC, c.updated_at DESC, c.id DESC LIMIT ?3
    )
    SELECT hits.id AS conversation_id, hits.title, m.message
    FROM hits LEFT JOIN search_rows AS s ON s.id = hits.row_id
      LEFT JOIN messages AS m ON m.conversation_id = hits.id AND m.id = s.message_id
    ORDER BY hits.titled DESC, hits.updated_at DESC, hits.id DESC`;
}

function toVector(text: string): string {
  const tokens = searchText(text.slice(0, MAX_INDEXED_LENGTH)).split(' ').filter(Boolean);
  return tokens.map((token, index) => `${quote(token)}:${Math.min(index + 1, MAX_POSITION)}`).join(' ');
}

function toQuery(terms: readonly Term[]): string {
  return terms.map(termToQuery).join(' & ');
}

function termToQuery({ kind, folded }: Term): string {
  if (kind !== 'characters') return kind === 'prefix' ? `${quote(folded)}:*` : quote(folded);
  const pairs = bigrams(folded);
  return pairs.length === 0 ? `${quote(folded)}:*` : `(${pairs.map(quote).join(' <-> ')})`;
}

function quote(token: string): string {
  const cut = token.length > MAX_TOKEN_LENGTH ? token.slice(0, MAX_TOKEN_LENGTH).toWellFormed() : token;
  return `'${cut.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

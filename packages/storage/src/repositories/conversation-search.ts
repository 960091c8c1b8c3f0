import type { Message, Owner } from '@toolyard/protocol';
import { searchableText } from '../engine/search.ts';
import type { Term } from '../search-text.ts';
import { snippetOf } from '../snippet.ts';
import { decodeJson } from '../text.ts';

/** A conversation with what was looked for, and the words around it: the finds between U+0002 and U+0003. */
export type SearchHit = { conversationId: string; snippet: string };

export type SearchQuery = { query: string; limit: number };

/**
 * Conversations with all the words of a query in their title or in one of their messages: titles first, then the
 * latest. What tables there are to search is the engine's affair.
 */
export type ConversationSearch = (principal: Owner, query: SearchQuery) => Promise<SearchHit[]>;

/** Where something was found; `message` null: in the title. */
export type SearchMatchRow = { conversation_id: string; title: string; message: string | null };

/**
 * So many finds are looked at, the newest first: what somebody looks for with a word that stands everywhere is recent,
 * and nobody else has to wait.
 */
export const MAX_SEARCH_MATCHES = 2_000;

/** What was found, with the words around it. */
export function toHits(rows: readonly SearchMatchRow[], terms: readonly Term[]): SearchHit[] {
  return rows.map((row) => ({ conversationId: row.conversation_id, snippet: snippetOfRow(row, terms) }));
}

function snippetOfRow({ title, message }: SearchMatchRow, terms: readonly Term[]): string {
  if (message === null) return snippetOf(title, terms);
  // Only this room writes the column, from messages.
  return snippetOf(searchableText(decodeJson(message) as unknown as Message) ?? '', terms);
}

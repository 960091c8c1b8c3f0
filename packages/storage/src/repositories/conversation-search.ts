import type { Message, Owner } from '@toolyard/protocol';
import { searchableText } from '../engine/search.ts';
import type { Term } from '../search-text.ts';
import { snippetOf } from '../snippet.ts';
import { decodeJson } from '../text.ts';

/** A matching conversation with a snippet: matches are between U+0002 and U+0003. */
export type SearchHit = { conversationId: string; snippet: string };

export type SearchQuery = { query: string; limit: number };

/**
 * Finds conversations with all words of a query in the title or in one message: title matches first, then the most
 * recent. The index depends on the engine.
 */
export type ConversationSearch = (principal: Owner, query: SearchQuery) => Promise<SearchHit[]>;

/** A match; `message` null: in the title. */
export type SearchMatchRow = { conversation_id: string; title: string; message: string | null };

/** Maximum number of matches examined, newest first: limits the cost of words that occur everywhere. */
export const MAX_SEARCH_MATCHES = 2_000;

/** Converts matches to hits with snippets. */
export function toHits(rows: readonly SearchMatchRow[], terms: readonly Term[]): SearchHit[] {
  return rows.map((row) => ({ conversationId: row.conversation_id, snippet: snippetOfRow(row, terms) }));
}

function snippetOfRow({ title, message }: SearchMatchRow, terms: readonly Term[]): string {
  if (message === null) return snippetOf(title, terms);
  // Only this package writes the column, from messages.
  return snippetOf(searchableText(decodeJson(message) as unknown as Message) ?? '', terms);
}

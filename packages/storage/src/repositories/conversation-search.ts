import type { Message, Owner } from '@toolyard/protocol';
import { searchableText } from '../engine/search.ts';
import { plainText } from '../plain-text.ts';
import type { Term } from '../search-text.ts';
import { createSnippet } from '../snippet.ts';
import { decodeJson } from '../text.ts';

/**
 * A matching conversation with a snippet: plain text, matches between U+0002 and U+0003. `messageId`: the message of the
 * snippet; absent if only the title matches.
 */
export type SearchHit = { conversationId: string; snippet: string; messageId?: string };

export type SearchQuery = { query: string; limit: number };

/**
 * Finds conversations with all words of a query in the title or in one message: title matches first, then the most
 * recent. The index depends on the engine.
 */
export type ConversationSearch = (principal: Owner, query: SearchQuery) => Promise<SearchHit[]>;

/** A match; `message` null: in the title only. */
export type SearchMatchRow = { conversation_id: string; title: string; message: string | null };

/**
 * Maximum number of matches examined, newest first: limits the cost of words that occur everywhere. Few matches of whole
 * words are examined at first, which suffices for a common word unless they are in a few long conversations.
 */
export const SEARCH_MATCHES = { few: 200, most: 2_000 };

/** Converts matches to hits with snippets. */
export function toHits(rows: readonly SearchMatchRow[], terms: readonly Term[]): SearchHit[] {
  return rows.map(({ conversation_id: conversationId, title, message: json }) => {
    if (json === null) return { conversationId, snippet: createSnippet(title, terms) };
    // Only this package writes the column, from messages.
    const message = decodeJson(json) as unknown as Message;
    const text = searchableText(message) ?? '';
    return { conversationId, snippet: createSnippet(text, terms, plainText), messageId: message.id };
  });
}

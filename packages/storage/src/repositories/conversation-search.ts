import type { Message, Principal } from '@toolyard/protocol';
import type { Engine } from '../engine/engine.ts';
import type { FoundRow } from '../engine/search.ts';
import { searchableText } from '../engine/search.ts';
import type { Term } from '../search-text.ts';
import { termsOf } from '../search-text.ts';
import { snippetOf } from '../snippet.ts';
import { decodeJson } from '../text.ts';

/** A conversation with what was looked for, and the words around it: the finds between U+0002 and U+0003. */
export type Hit = { conversationId: string; snippet: string };

/** Looks for a query of a person in titles and messages: titles first, then the latest. */
export function createConversationSearch(
  engine: Engine,
): (principal: Principal, query: { query: string; limit: number }) => Promise<Hit[]> {
  const find = engine.search.finder();
  return async (principal, { query, limit }) => {
    const terms = termsOf(query);
    if (terms.length === 0) return [];
    const rows = await engine.perform(find(principal, { terms, limit }));
    return rows.map((row) => ({ conversationId: row.conversation_id, snippet: snippetOfRow(row, terms) }));
  };
}

function snippetOfRow({ title, message }: FoundRow, terms: readonly Term[]): string {
  if (message === null) return snippetOf(title, terms);
  // Only this room writes the column, from messages.
  return snippetOf(searchableText(decodeJson(message) as unknown as Message) ?? '', terms);
}

import type { Message } from '@toolyard/protocol';
import { searchText } from '../search-text.ts';
import type { SqliteConnection } from './connection.ts';

/** Of a longer text only so much is indexed, in UTF-16 units: a pasted book must not hold up everybody's tokens. */
const MAX_INDEXED_LENGTH = 60_000;

/** Keeps the full text index; to be used inside the transaction that writes what is indexed. */
export type SearchWriter = {
  title(title: string, of: { conversationId: string; ownerId: string }): void;
  /** A message that is still being written, and one whose text is not for reading, is left out. */
  message(message: Message, of: { conversationId: string; ownerId: string }): void;
};

export function createSearchWriter(connection: SqliteConnection): SearchWriter {
  const find = connection.prepare('SELECT id FROM search_rows WHERE conversation_id = ? AND message_id = ?');
  const add = connection.prepare(`
    INSERT INTO search_rows (conversation_id, message_id, owner_id) VALUES (?, ?, ?) RETURNING id`);
  const insert = connection.prepare('INSERT INTO search_index (rowid, title, body) VALUES (?, ?, ?)');
  const replace = connection.prepare('INSERT OR REPLACE INTO search_index (rowid, title, body) VALUES (?, ?, ?)');

  function write(
    conversationId: string,
    messageId: string,
    ownerId: string,
    texts: [title: string, body: string],
  ): void {
    const known = find.get(conversationId, messageId) as { id: number } | undefined;
    if (known) {
      replace.run(known.id, ...texts);
      return;
    }
    // An answer that only calls tools: there is nothing to find.
    if (texts.every((text) => text === '')) return;
    const { id } = add.get(conversationId, messageId, ownerId) as { id: number };
    insert.run(id, ...texts);
  }

  return {
    title(title, { conversationId, ownerId }) {
      write(conversationId, '', ownerId, [searchText(title.slice(0, MAX_INDEXED_LENGTH)), '']);
    },
    message(message, { conversationId, ownerId }) {
      const text = searchableText(message);
      if (text === null) return;
      write(conversationId, message.id, ownerId, ['', searchText(text.slice(0, MAX_INDEXED_LENGTH))]);
    },
  };
}

/** What of a message can be found: what a person and an assistant say to each other. Null where nothing can be. */
export function searchableText(message: Message): string | null {
  if (message.role !== 'user' && message.role !== 'assistant') return null;
  if (message.role === 'assistant' && message.finishReason === 'pending') return null;
  const texts: string[] = [];
  for (const part of message.parts) if (part.type === 'text') texts.push(part.text);
  return texts.join('\n');
}

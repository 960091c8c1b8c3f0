import type { Message } from '@toolyard/protocol';
import type { StoreWork } from './work.ts';

/** Maximum indexed length of a text, in UTF-16 units: indexing a pasted book must not delay other writes. */
export const MAX_INDEXED_LENGTH = 60_000;

/** Maintains the full-text index; call it within the transaction that writes the indexed text. */
export type SearchWriter = {
  title(title: string, of: { conversationId: string; ownerId: string }): StoreWork<void>;
  /** Skips messages that are still being written, and those without readable text. */
  message(message: Message, of: { conversationId: string; ownerId: string }): StoreWork<void>;
};

/** The searchable text of a message: text of the user and the assistant. Null if it has no text. */
export function searchableText(message: Message): string | null {
  if (message.role !== 'user' && message.role !== 'assistant') return null;
  if (message.role === 'assistant' && message.finishReason === 'pending') return null;
  const texts: string[] = [];
  for (const part of message.parts) if (part.type === 'text') texts.push(part.text);
  return texts.join('\n');
}

import type { Message } from '@toolyard/protocol';
import type { StoreWork } from './work.ts';

/** Of a longer text only so much is indexed, in UTF-16 units: a pasted book must not hold up everybody's tokens. */
export const MAX_INDEXED_LENGTH = 60_000;

/** Keeps the full text index; to be used inside the transaction that writes what is indexed. */
export type SearchWriter = {
  title(title: string, of: { conversationId: string; ownerId: string }): StoreWork<void>;
  /** A message that is still being written, and one whose text is not for reading, is left out. */
  message(message: Message, of: { conversationId: string; ownerId: string }): StoreWork<void>;
};

/** What of a message can be found: what a person and an assistant say to each other. Null where nothing can be. */
export function searchableText(message: Message): string | null {
  if (message.role !== 'user' && message.role !== 'assistant') return null;
  if (message.role === 'assistant' && message.finishReason === 'pending') return null;
  const texts: string[] = [];
  for (const part of message.parts) if (part.type === 'text') texts.push(part.text);
  return texts.join('\n');
}

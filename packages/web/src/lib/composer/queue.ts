import type { QueuedMessage, UserPart } from '@toolyard/protocol';

/**
 * What a waiting message is to stand before so that it comes to a place in the list (null: the end); undefined where
 * it is there already, or there is no such place.
 */
export function placeBefore(
  queue: readonly Pick<QueuedMessage, 'id'>[],
  id: string,
  to: number,
): string | null | undefined {
  const from = queue.findIndex((item) => item.id === id);
  if (from < 0 || to === from || to < 0 || to >= queue.length) return undefined;
  return queue.filter((item) => item.id !== id)[to]?.id ?? null;
}

/** The text of a message, without what is attached. */
export function textOfParts(parts: readonly UserPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** The same message with another text; what was attached stays. */
export function withText(parts: readonly UserPart[], text: string): UserPart[] {
  const attached = parts.filter((part) => part.type !== 'text');
  return text.trim() === '' ? attached : [{ type: 'text', text }, ...attached];
}

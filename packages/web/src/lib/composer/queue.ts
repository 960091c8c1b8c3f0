import type { QueuedMessage, UserPart } from '@toolyard/protocol';

/**
 * The message a queued message must precede to get to a position (null: the end); undefined if it is there already or
 * the position does not exist.
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

/** The text of a message without its attachments. */
export function textOfParts(parts: readonly UserPart[]): string {
  return parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}

/** The same message with another text; attachments stay. */
export function withText(parts: readonly UserPart[], text: string): UserPart[] {
  const attached = parts.filter((part) => part.type !== 'text');
  return text.trim() === '' ? attached : [{ type: 'text', text }, ...attached];
}

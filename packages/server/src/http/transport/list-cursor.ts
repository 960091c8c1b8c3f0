import type { StoredConversation } from '@toolyard/storage';
import type { ProblemAnswer } from '../problems.ts';
import { refusal } from '../problems.ts';

type ConversationPosition = Pick<StoredConversation, 'id' | 'pinned' | 'updatedAt'>;

/** Position in a list of conversations: the last one seen, as an opaque string. */
export function toCursor({ id, pinned, updatedAt }: ConversationPosition): string {
  return `${pinned ? 1 : 0}.${updatedAt}.${id}`;
}

/** @throws ProblemAnswer 400 if {@link toCursor} did not create it */
export function readCursor(text: string): ConversationPosition {
  const match = /^([01])\.(\d{1,15})\.(.+)$/s.exec(text);
  const [, pinned, updatedAt, id] = match ?? [];
  if (id === undefined) throw noCursor();
  return { pinned: pinned === '1', updatedAt: Number(updatedAt), id };
}

/** Position in a list ordered by time: the last one seen, as an opaque string. */
export function timeCursor(at: number, id: string): string {
  return `${at}.${id}`;
}

/** @throws ProblemAnswer 400 if {@link timeCursor} did not create it */
export function readTimeCursor(text: string): { at: number; id: string } {
  const [, at, id] = /^(\d{1,15})\.(.+)$/s.exec(text) ?? [];
  if (id === undefined) throw noCursor();
  return { at: Number(at), id };
}

/** A page of a list of which one item more than `limit` was read. */
export function toPage<T>(
  found: readonly T[],
  limit: number,
  cursor: (last: T) => string,
): { items: T[]; next?: string } {
  const items = found.slice(0, limit);
  const last = items.at(-1);
  return { items, ...(found.length > limit && last !== undefined ? { next: cursor(last) } : {}) };
}

function noCursor(): ProblemAnswer {
  return refusal({ code: 'bad_request', message: 'The query parameter `after` is not a `next` value of a list.' });
}

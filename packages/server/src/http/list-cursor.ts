import type { Conversation } from '@toolyard/storage';
import { refusal } from './problems.ts';

type Place = Pick<Conversation, 'id' | 'pinned' | 'updatedAt'>;

/** Where a list of conversations goes on: the last one seen, in one word. */
export function cursorOf({ id, pinned, updatedAt }: Place): string {
  return `${pinned ? 1 : 0}.${updatedAt}.${id}`;
}

/** @throws ProblemAnswer 400 for what {@link cursorOf} did not make. */
export function readCursor(text: string): Place {
  const match = /^([01])\.(\d{1,16})\.(.+)$/s.exec(text);
  const [, pinned, updatedAt, id] = match ?? [];
  if (id === undefined)
    throw refusal({ code: 'bad_request', message: 'after in the query is not the next of a list.' });
  return { pinned: pinned === '1', updatedAt: Number(updatedAt), id };
}

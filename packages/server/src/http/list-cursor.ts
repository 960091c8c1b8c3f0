import type { StoredInterrupt } from '@toolyard/protocol';
import type { StoredConversation } from '@toolyard/storage';
import type { ProblemAnswer } from './problems.ts';
import { refusal } from './problems.ts';

type Place = Pick<StoredConversation, 'id' | 'pinned' | 'updatedAt'>;
type Asked = Pick<StoredInterrupt, 'id' | 'openedAt'>;

/** Where a list of conversations goes on: the last one seen, in one word. */
export function cursorOf({ id, pinned, updatedAt }: Place): string {
  return `${pinned ? 1 : 0}.${updatedAt}.${id}`;
}

/** @throws ProblemAnswer 400 for what {@link cursorOf} did not make. */
export function readCursor(text: string): Place {
  const match = /^([01])\.(\d{1,15})\.(.+)$/s.exec(text);
  const [, pinned, updatedAt, id] = match ?? [];
  if (id === undefined) throw noCursor();
  return { pinned: pinned === '1', updatedAt: Number(updatedAt), id };
}

/** Where a list of questions goes on: the last one seen, in one word. */
export function interruptCursor({ id, openedAt }: Asked): string {
  return `${openedAt}.${id}`;
}

/** @throws ProblemAnswer 400 for what {@link interruptCursor} did not make. */
export function readInterruptCursor(text: string): Asked {
  const [, openedAt, id] = /^(\d{1,15})\.(.+)$/s.exec(text) ?? [];
  if (id === undefined) throw noCursor();
  return { openedAt: Number(openedAt), id };
}

function noCursor(): ProblemAnswer {
  return refusal({ code: 'bad_request', message: 'after in the query is not the next of a list.' });
}

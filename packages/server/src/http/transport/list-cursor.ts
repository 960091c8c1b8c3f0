import type { StoredInterrupt } from '@toolyard/protocol';
import type { RunPosition, StoredConversation } from '@toolyard/storage';
import type { ProblemAnswer } from '../problems.ts';
import { refusal } from '../problems.ts';

type ConversationPosition = Pick<StoredConversation, 'id' | 'pinned' | 'updatedAt'>;
type InterruptPosition = Pick<StoredInterrupt, 'id' | 'openedAt'>;

/** Position in a list of conversations: the last one seen, as an opaque string. */
export function cursorOf({ id, pinned, updatedAt }: ConversationPosition): string {
  return `${pinned ? 1 : 0}.${updatedAt}.${id}`;
}

/** @throws ProblemAnswer 400 if {@link cursorOf} did not create it */
export function readCursor(text: string): ConversationPosition {
  const match = /^([01])\.(\d{1,15})\.(.+)$/s.exec(text);
  const [, pinned, updatedAt, id] = match ?? [];
  if (id === undefined) throw noCursor();
  return { pinned: pinned === '1', updatedAt: Number(updatedAt), id };
}

/** Position in a list of interrupts: the last one seen, as an opaque string. */
export function interruptCursor({ id, openedAt }: InterruptPosition): string {
  return `${openedAt}.${id}`;
}

/** @throws ProblemAnswer 400 if {@link interruptCursor} did not create it */
export function readInterruptCursor(text: string): InterruptPosition {
  const [, openedAt, id] = /^(\d{1,15})\.(.+)$/s.exec(text) ?? [];
  if (id === undefined) throw noCursor();
  return { openedAt: Number(openedAt), id };
}

/** Position in a list of runs: the last one seen, as an opaque string. */
export function runCursor({ id, createdAt }: RunPosition): string {
  return `${createdAt}.${id}`;
}

/** @throws ProblemAnswer 400 if {@link runCursor} did not create it */
export function readRunCursor(text: string): RunPosition {
  const [, createdAt, id] = /^(\d{1,15})\.(.+)$/s.exec(text) ?? [];
  if (id === undefined) throw noCursor();
  return { createdAt: Number(createdAt), id };
}

function noCursor(): ProblemAnswer {
  return refusal({ code: 'bad_request', message: 'The query parameter `after` is not a `next` value of a list.' });
}

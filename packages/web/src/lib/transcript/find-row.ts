import type { UserMessage } from '@toolyard/protocol';
import { findMessageId, textOfRow } from './rows.ts';
import type { TranscriptRow } from './rows.ts';
import type { RowList } from './transcript.ts';

/** The row of a message; searched from the end, where it nearly always is. */
export function findRow(rows: RowList, messageId: string): TranscriptRow | undefined {
  return findLast(rows, (row) => findMessageId(row) === messageId);
}

export function lastMessageId(rows: RowList): string | null {
  const row = findLast(rows, (candidate) => findMessageId(candidate) !== null);
  return row === undefined ? null : findMessageId(row);
}

/** The run of the last answer. */
export function lastRunId(rows: RowList): string | null {
  const row = findLast(rows, ({ kind }) => kind === 'assistant');
  return row?.kind === 'assistant' ? row.runId : null;
}

/** The last message of an answer. */
export function lastAnswerId(rows: RowList): string | null {
  const row = findLast(rows, ({ kind }) => kind === 'assistant');
  return row?.kind === 'assistant' ? row.messageId : null;
}

/** The user's message of an answer; undefined if it is not loaded. */
export function userMessageBefore(rows: RowList, answerId: string): UserMessage | undefined {
  let seen = false;
  const row = findLast(rows, (candidate) => {
    seen ||= findMessageId(candidate) === answerId;
    return seen && candidate.kind === 'user';
  });
  return row?.kind === 'user' ? row.message : undefined;
}

/**
 * The text of a whole answer, for copying; `lastId` is its last message. An answer directly before it, without a message
 * of the user between them, was cut and continued: it belongs to the text.
 */
export function answerText(rows: RowList, lastId: string): string {
  const texts: string[] = [];
  let isInside = false;
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows.at(index);
    if (row?.kind === 'notice' || row?.kind === 'compaction') continue;
    if (isInside && row?.kind !== 'assistant') break;
    if (row?.kind !== 'assistant') continue;
    isInside ||= row.messageId === lastId;
    if (isInside && row.status !== 'abandoned') texts.unshift(textOfRow(row));
  }
  return texts.filter((text) => text !== '').join('\n\n');
}

/** What to regenerate: an answer, or a message without one. */
export function lastToRetry(rows: RowList): { answerId: string } | { message: UserMessage } | undefined {
  const row = findLast(rows, (candidate) => candidate.kind === 'user' || findAnswerId(candidate) !== null);
  if (row?.kind === 'user') return { message: row.message };
  const answerId = row === undefined ? null : findAnswerId(row);
  return answerId === null ? undefined : { answerId };
}

function findAnswerId(row: TranscriptRow): string | null {
  return row.kind === 'assistant' ? (row.answer?.messageId ?? null) : null;
}

function findLast(rows: RowList, matches: (row: TranscriptRow) => boolean): TranscriptRow | undefined {
  for (let index = rows.length - 1; index >= 0; index -= 1) {
    const row = rows.at(index);
    if (row !== undefined && matches(row)) return row;
  }
  return undefined;
}

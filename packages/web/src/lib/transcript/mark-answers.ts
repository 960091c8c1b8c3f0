import type { AnswerOf, AssistantRow, Row } from './rows.ts';
import { isOpenRow } from './rows.ts';

/**
 * Says of each row of an answer whether it is the first, and of the last what its actions act on. Rows that are marked
 * rightly stay the objects they were.
 */
export function markAnswers(rows: readonly Row[]): readonly Row[] {
  let changed = false;
  const marked = rows.map((row, index) => {
    if (row.kind !== 'assistant') return row;
    const first = firstOf(rows, index);
    const head = first === index;
    const answer = isLast(rows, index) ? answerOf(rows, first) : null;
    if (row.head === head && sameAnswer(row.answer, answer)) return row;
    changed = true;
    return { ...row, head, answer };
  });
  return changed ? marked : rows;
}

function firstOf(rows: readonly Row[], index: number): number {
  const { runId } = rows[index] as AssistantRow;
  let first = index;
  for (let i = index - 1; i >= 0; i -= 1) {
    const row = rows[i];
    if (row?.kind === 'notice') continue;
    if (row?.kind !== 'assistant' || row.runId !== runId) break;
    first = i;
    // A marked row knows where it stands: the walk is not repeated for each row of a long answer.
    if (row.head) break;
  }
  return first;
}

function isLast(rows: readonly Row[], index: number): boolean {
  const row = rows[index] as AssistantRow;
  if (isOpenRow(row) || row.status === 'abandoned') return false;
  for (let i = index + 1; i < rows.length; i += 1) {
    const next = rows[i];
    if (next?.kind === 'notice') continue;
    return !(next?.kind === 'assistant' && next.runId === row.runId);
  }
  return true;
}

function answerOf(rows: readonly Row[], first: number): AnswerOf {
  // An abandoned attempt is no branch: the answer begins with what was kept.
  let head = first;
  for (let i = first; i < rows.length; i += 1) {
    const row = rows[i];
    if (row?.kind === 'assistant' && row.status !== 'abandoned') {
      head = i;
      break;
    }
  }
  const row = rows[head] as AssistantRow;
  return { messageId: row.messageId, alternatives: row.alternatives };
}

function sameAnswer(a: AnswerOf | null, b: AnswerOf | null): boolean {
  if (a === null || b === null) return a === b;
  return a.messageId === b.messageId && sameList(a.alternatives, b.alternatives);
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

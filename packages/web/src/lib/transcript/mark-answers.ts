import { addUsage } from '@toolyard/protocol';
import type { Usage } from '@toolyard/protocol';
import type { AnswerOf, AssistantRow, TranscriptRow } from './rows.ts';
import { isOpenRow } from './rows.ts';

/**
 * Marks the first row of each answer, and sets the target of actions on the last. Rows that are marked already stay the
 * same objects.
 */
export function markAnswers(rows: readonly TranscriptRow[]): readonly TranscriptRow[] {
  let changed = false;
  let group: Group | null = null;
  const marked = rows.map((row, index) => {
    if (row.kind === 'notice' || row.kind === 'compaction' || row.kind === 'budget') return row;
    if (row.kind !== 'assistant') {
      group = null;
      return row;
    }
    const isFirst: boolean = group?.runId !== row.runId;
    const author = getAuthor(row);
    const current: Group =
      isFirst || group === null ? { runId: row.runId, author, kept: null, usage: null, cost: 0 } : group;
    // In a group several authors give one answer.
    const head = isFirst || current.author !== author;
    current.author = author;
    // An abandoned attempt is not a branch: the answer begins after it.
    if (row.status !== 'abandoned') {
      current.kept ??= row;
      current.cost = current.cost === null || row.cost === null ? null : current.cost + row.cost;
    }
    if (row.usage !== null) current.usage = addUsage(current.usage ?? {}, row.usage);
    group = current;
    const answer = isLast(rows, index, row) ? toAnswer(current) : null;
    if (row.head === head && sameAnswer(row.answer, answer)) return row;
    changed = true;
    return { ...row, head, answer };
  });
  return changed ? marked : rows;
}

function getAuthor({ agent, member }: AssistantRow): string {
  return member === undefined ? '' : (agent?.id ?? '');
}

type Group = { runId: string; author: string; kept: AssistantRow | null; usage: Usage | null; cost: number | null };

function isLast(rows: readonly TranscriptRow[], index: number, row: AssistantRow): boolean {
  if (isOpenRow(row) || row.status === 'abandoned') return false;
  for (let i = index + 1; i < rows.length; i += 1) {
    const next = rows[i];
    if (next?.kind === 'notice' || next?.kind === 'compaction' || next?.kind === 'budget') continue;
    return !(next?.kind === 'assistant' && next.runId === row.runId);
  }
  return true;
}

function toAnswer({ kept, usage, cost }: Group): AnswerOf | null {
  return kept && { messageId: kept.messageId, alternatives: kept.alternatives, usage, cost };
}

function sameAnswer(a: AnswerOf | null, b: AnswerOf | null): boolean {
  if (a === null || b === null) return a === b;
  const same = a.messageId === b.messageId && a.cost === b.cost;
  return same && sameList(a.alternatives, b.alternatives) && sameUsage(a.usage, b.usage);
}

function sameUsage(a: Usage | null, b: Usage | null): boolean {
  return a?.inputTokens === b?.inputTokens && a?.outputTokens === b?.outputTokens;
}

export function sameList(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

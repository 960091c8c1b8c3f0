import type { ConversationView } from '@toolyard/protocol';
import type { TranscriptRow } from './rows.ts';

type RunEnd = Omit<NonNullable<ConversationView['ended']>, 'status'> & { status: 'done' | 'failed' | 'cancelled' };

/** Adds how a run ended, unless its last answer shows it. */
export function withOutcome(
  rows: readonly TranscriptRow[],
  { runId, status, error }: RunEnd,
): readonly TranscriptRow[] {
  const last = rows.findLast((row) => row.kind === 'assistant' && row.runId === runId);
  const blocks = last?.kind === 'assistant' ? last.blocks : [];
  const key = `${runId}:end`;
  if (status === 'failed' && error !== undefined) {
    if (blocks.some((block) => block.type === 'error' && block.error.code === error.code)) return rows;
    return [...rows, { kind: 'outcome', key, outcome: { type: 'failed', error } }];
  }
  if (status !== 'cancelled' || last !== undefined) return rows;
  return [...rows, { kind: 'outcome', key, outcome: { type: 'cancelled' } }];
}

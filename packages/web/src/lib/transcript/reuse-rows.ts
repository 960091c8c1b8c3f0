import type { CallView } from './calls.ts';
import { sameList } from './mark-answers.ts';
import type { AssistantRow, RowBlock, TranscriptRow } from './rows.ts';
import { findMessageId } from './rows.ts';

/**
 * Rows of stored messages in which equal rows keep the objects shown so far. Complete stored messages never change;
 * only related data does.
 */
export function keepKnownRows(
  fresh: readonly TranscriptRow[],
  shown: readonly TranscriptRow[],
): readonly TranscriptRow[] {
  if (shown.length === 0) return fresh;
  const known = new Map<string, TranscriptRow>();
  for (const row of shown) known.set(findMessageId(row) ?? row.key, row);
  return fresh.map((row) => {
    const before = known.get(findMessageId(row) ?? row.key);
    if (before === undefined || before.kind !== row.kind) return row;
    if (row.kind === 'user' && before.kind === 'user') {
      return !before.sending && sameList(row.alternatives, before.alternatives) ? before : row;
    }
    if (row.kind === 'assistant' && before.kind === 'assistant') return keepAnswer(row, before);
    return before;
  });
}

function keepAnswer(row: AssistantRow, before: AssistantRow): AssistantRow {
  const blocks = mergeBlocks(row.blocks, before.blocks);
  const same =
    row.status === before.status &&
    row.finishReason === before.finishReason &&
    row.unmadeCalls?.length === before.unmadeCalls?.length &&
    sameList(row.alternatives, before.alternatives) &&
    blocks === before.blocks;
  return same ? before : { ...row, key: before.key, blocks, head: before.head, answer: before.answer };
}

function mergeBlocks(blocks: readonly RowBlock[], before: readonly RowBlock[]): readonly RowBlock[] {
  const merged = blocks.map((block, index) => {
    const old = before[index];
    if (old?.type !== block.type) return block;
    if (block.type === 'call' && old.type === 'call') {
      const call = mergeCall(block.call, old.call);
      return call === old.call ? old : { ...block, call };
    }
    if (block.type === 'text' && old.type === 'text') return old.text === block.text && !old.open ? old : block;
    if (block.type === 'reasoning' && old.type === 'reasoning') {
      return old.text === block.text && !old.open ? old : { ...block, durationMs: old.durationMs ?? block.durationMs };
    }
    return old;
  });
  return merged.length === before.length && merged.every((block, index) => block === before[index]) ? before : merged;
}

function mergeCall(call: CallView, old: CallView): CallView {
  if (old.callId !== call.callId) return call;
  if (old.result !== null || (call.result === null && call.over === old.over)) {
    // Observed rows contain more than stored ones, except an interrupt closed meanwhile.
    const { interrupt, asksNext } = call;
    return sameInterrupts(call, old) ? old : { ...old, interrupt, asksNext };
  }
  return {
    ...call,
    durationMs: old.durationMs ?? call.durationMs,
    answer: old.answer,
    started: old.started || call.started,
  };
}

function sameInterrupts(one: CallView, other: CallView): boolean {
  const ids = ({ interrupt, asksNext }: CallView): string[] => [
    interrupt?.id ?? '',
    ...asksNext.map((each) => each.id),
  ];
  return sameList(ids(one), ids(other));
}

/** Restores what the server does not return among the rows of a run: notices, at their positions. */
export function keepNotices(rows: readonly TranscriptRow[], shown: readonly TranscriptRow[]): readonly TranscriptRow[] {
  const kept = [...rows];
  let place = 0;
  for (const row of shown) {
    if (row.kind === 'assistant') {
      const at = kept.findIndex((other) => findMessageId(other) === row.messageId);
      if (at >= 0) place = at + 1;
    } else if (row.kind === 'notice') {
      kept.splice(place, 0, row);
      place += 1;
    }
  }
  return kept;
}

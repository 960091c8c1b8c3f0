import { browserValue } from '../browser-storage.ts';
import type { RowBlock, TranscriptRow } from './rows.ts';

/** How many durations a browser stores; the oldest are dropped. */
const MAX_TIMES = 1_000;

type Times = Record<string, number>;

const times = browserValue<Times>('durations', {
  version: 1,
  read: (value) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(
          Object.entries(value).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
        )
      : undefined,
  fallback: {},
});

/**
 * Durations of calls and reasoning are measured by the client that follows a run; messages do not contain them. They
 * are stored in this browser, so that a reload does not remove them.
 */
export function keepTimes(rows: readonly TranscriptRow[]): void {
  const found = listTimes(rows).flatMap(([key, block]): [string, number][] => {
    const ms = block.type === 'call' ? (block.call.started ? block.call.durationMs : null) : block.durationMs;
    return ms === null ? [] : [[key, ms]];
  });
  if (found.length === 0) return;
  const others = Object.entries(times.get()).filter(([key]) => !found.some(([other]) => other === key));
  times.set(Object.fromEntries([...others, ...found].slice(-MAX_TIMES)));
}

/** The rows with stored durations added where they have none. Unchanged rows stay the same objects. */
export function withKnownTimes(rows: readonly TranscriptRow[]): TranscriptRow[] {
  const known = times.get();
  return rows.map((row) => {
    if (row.kind !== 'assistant') return row;
    const blocks = row.blocks.map((block, index) => timed(block, known[getKey(row.messageId, block, index)]));
    return blocks.every((block, index) => block === row.blocks[index]) ? row : { ...row, blocks };
  });
}

function timed(block: RowBlock, ms: number | undefined): RowBlock {
  if (ms === undefined) return block;
  if (block.type === 'reasoning') return block.durationMs === null ? { ...block, durationMs: ms } : block;
  if (block.type !== 'call' || block.call.durationMs !== null || block.call.result === null) return block;
  return { ...block, call: { ...block.call, started: true, durationMs: ms } };
}

type Timed = Extract<RowBlock, { type: 'call' | 'reasoning' }>;

function listTimes(rows: readonly TranscriptRow[]): [string, Timed][] {
  return rows.flatMap((row) =>
    row.kind !== 'assistant'
      ? []
      : row.blocks.flatMap((block, index): [string, Timed][] =>
          block.type === 'call' || block.type === 'reasoning' ? [[getKey(row.messageId, block, index), block]] : [],
        ),
  );
}

function getKey(messageId: string, block: RowBlock, index: number): string {
  return block.type === 'call' ? block.call.callId : `${messageId}:${String(index)}`;
}

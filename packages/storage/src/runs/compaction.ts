import type { RunEventBody } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import { transaction } from '../engine/work.ts';
import type { RunJobs } from './run-jobs.ts';

/** Events whose content is repeated in full at the end of a message or call. */
export const COMPACTED_EVENTS: readonly RunEventBody['type'][] = [
  'text_delta',
  'reasoning_delta',
  'tool_call_delta',
  'tool_progress',
];

/** Deletes deltas of old runs, which are most of the stored data and no longer needed. */
export function createCompaction(engine: StorageEngine): RunJobs['compact'] {
  const due = engine.prepare<{ id: string }>(`
    SELECT id FROM runs WHERE ended_at IS NOT NULL AND compacted IS NULL AND ended_at < ? ORDER BY ended_at LIMIT ?${engine.sql.claimFreeRows}`);
  const remove = engine.prepare(`DELETE FROM run_events WHERE run_id = ? AND type IN (${engine.sql.selectTexts('?')})`);
  const mark = engine.prepare('UPDATE runs SET compacted = ? WHERE id = ?');
  const types = JSON.stringify(COMPACTED_EVENTS);

  return (endedBefore, limit) =>
    transaction('compact', 'normal', function* () {
      const runs = yield* due.all(endedBefore, limit);
      // The number of deleted events is stored, so that the check can distinguish compaction from damage.
      for (const { id } of runs) yield* mark.run(yield* remove.run(id, types), id);
      return runs.length;
    });
}

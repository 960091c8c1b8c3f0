import type { RunEventBody } from '@toolyard/protocol';
import type { SqliteConnection } from './connection.ts';
import type { SyncRunStore } from './run-rows.ts';

/** What is repeated whole once a message or a call is over. */
const PASSING: readonly RunEventBody['type'][] = ['text_delta', 'reasoning_delta', 'tool_call_delta', 'tool_progress'];

/** Most of what is stored is deltas, which nobody needs a day later. */
export function createCompaction(connection: SqliteConnection): SyncRunStore['compact'] {
  const due = connection.prepare(`
    SELECT id FROM runs WHERE ended_at IS NOT NULL AND compacted IS NULL AND ended_at < ? ORDER BY ended_at LIMIT ?`);
  const remove = connection.prepare(
    `DELETE FROM run_events WHERE run_id = ? AND type IN (SELECT value FROM json_each(?))`,
  );
  const mark = connection.prepare('UPDATE runs SET compacted = ? WHERE id = ?');
  const types = JSON.stringify(PASSING);

  return (endedBefore, limit) =>
    connection.transaction('compact', 'normal', () => {
      const runs = due.all(endedBefore, limit) as { id: string }[];
      // The count is kept, so that the check can still tell a gap of ours from damage.
      for (const { id } of runs) mark.run(remove.run(id, types).changes, id);
      return runs.length;
    });
}

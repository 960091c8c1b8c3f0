import { encodeJson } from '../text.ts';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { ACTIVE_STATUSES } from './run-rows.ts';

export type RelativesNotifier = {
  /** A run has ended: notifies its parent, and cancels its children. */
  end(of: { runId: string; parentRunId: string | null; at: number }): StoreWork<void>;
};

/**
 * Puts items into the inboxes of a run's parent and children in the transaction that ends it: whatever is killed, none
 * is lost and none is repeated. Use it within a transaction.
 */
export function createRelativesNotifier(engine: StorageEngine): RelativesNotifier {
  const tellParent = engine.prepare(`
    INSERT INTO run_inbox (run_id, id, owner_id, kind, body, at)
    SELECT id, CAST(? AS TEXT), owner_id, 'child', CAST(? AS TEXT), CAST(? AS BIGINT) FROM runs
    WHERE id = ? AND status IN ${ACTIVE_STATUSES}
    ON CONFLICT (run_id, id) DO NOTHING`);
  const cancelChildren = engine.prepare(`
    INSERT INTO run_inbox (run_id, id, owner_id, kind, body, at)
    SELECT id, 'cancel', owner_id, 'cancel', '{}', CAST(? AS BIGINT) FROM runs
    WHERE parent_run_id = ? AND status IN ${ACTIVE_STATUSES}
    ON CONFLICT (run_id, id) DO NOTHING`);
  return {
    *end({ runId, parentRunId, at }) {
      if (parentRunId !== null) yield* tellParent.run(`child:${runId}`, encodeJson({ runId }), at, parentRunId);
      yield* cancelChildren.run(at, runId);
    },
  };
}

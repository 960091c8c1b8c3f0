import type { RunStatus } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';

export type WebhookNotifier = {
  interrupt(interruptId: string, of: { runId: string; ownerId: string; at: number }): StoreWork<void>;
  /** To the owner's webhook only for runs without a parent. */
  end(status: RunStatus, of: { runId: string; ownerId: string; at: number }): StoreWork<void>;
};

/**
 * Stores webhook notifications in the transaction of the event, and only if the owner subscribed to it or the run has a
 * webhook of its own: each committed event is delivered, and no other. Use it within a transaction.
 */
export function createWebhookNotifier(engine: StorageEngine): WebhookNotifier {
  const announce = engine.prepare(`
    INSERT INTO announcements (id, owner_id, event, run_id, interrupt_id, happened_at, due_at)
    SELECT CAST(? AS TEXT), owner_id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT)
    FROM webhooks WHERE owner_id = ? AND events LIKE ?
    ON CONFLICT (id) DO NOTHING`);
  const announceEnd = engine.prepare(`
    INSERT INTO announcements (id, owner_id, event, run_id, interrupt_id, happened_at, due_at)
    SELECT CAST(? AS TEXT), w.owner_id, CAST(? AS TEXT), r.id, NULL, CAST(? AS BIGINT), CAST(? AS BIGINT)
    FROM webhooks AS w JOIN runs AS r ON r.id = ? AND r.parent_run_id IS NULL
    WHERE w.owner_id = ? AND w.events LIKE ?
    ON CONFLICT (id) DO NOTHING`);

  const announceOfRun = engine.prepare(`
    INSERT INTO announcements (id, owner_id, event, run_id, interrupt_id, happened_at, due_at, target)
    SELECT CAST(? AS TEXT), owner_id, CAST(? AS TEXT), run_id, CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT), 'run'
    FROM run_webhooks WHERE run_id = ?
    ON CONFLICT (id) DO NOTHING`);

  return {
    *interrupt(interruptId, { runId, ownerId, at }) {
      const event = 'interrupt.opened';
      yield* announceOfRun.run(`run:${event}:${interruptId}`, event, interruptId, at, at, runId);
      yield* announce.run(`${event}:${interruptId}`, event, runId, interruptId, at, at, ownerId, `%,${event},%`);
    },
    *end(status, { runId, ownerId, at }) {
      const event = status === 'failed' ? 'run.failed' : 'run.finished';
      yield* announceOfRun.run(`run:${event}:${runId}`, event, null, at, at, runId);
      yield* announceEnd.run(`${event}:${runId}`, event, at, at, runId, ownerId, `%,${event},%`);
    },
  };
}

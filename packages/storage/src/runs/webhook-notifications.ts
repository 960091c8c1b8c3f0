import type { RunStatus } from '@toolyard/protocol';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';

export type WebhookNotifier = {
  interrupt(interruptId: string, of: { runId: string; ownerId: string; at: number }): StoreWork<void>;
  /** To the owner's webhook only for runs without a parent. */
  end(status: RunStatus, of: { runId: string; ownerId: string; at: number }): StoreWork<void>;
};

/** The channels of all owners; `prefix` tells the ids of one event apart. */
const SUBSCRIPTIONS = `(
  SELECT owner_id, events, 'webhook' AS channel, '' AS prefix FROM webhooks
  UNION ALL SELECT owner_id, events, 'email' AS channel, 'email:' AS prefix FROM email_subscriptions)`;

/**
 * Stores notifications in the transaction of the event, one for each channel that the owner subscribed to it, and one if
 * the run has a webhook of its own: each committed event is delivered, and no other. Use it within a transaction.
 */
export function createWebhookNotifier(engine: StorageEngine): WebhookNotifier {
  const announce = engine.prepare(`
    INSERT INTO announcements (id, channel, owner_id, event, run_id, interrupt_id, happened_at, due_at)
    SELECT s.prefix || CAST(? AS TEXT), s.channel, s.owner_id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS TEXT),
      CAST(? AS BIGINT), CAST(? AS BIGINT)
    FROM ${SUBSCRIPTIONS} AS s WHERE s.owner_id = ? AND s.events LIKE ?
    ON CONFLICT (id) DO NOTHING`);
  const announceEnd = engine.prepare(`
    INSERT INTO announcements (id, channel, owner_id, event, run_id, interrupt_id, happened_at, due_at)
    SELECT s.prefix || CAST(? AS TEXT), s.channel, s.owner_id, CAST(? AS TEXT), r.id, NULL, CAST(? AS BIGINT),
      CAST(? AS BIGINT)
    FROM ${SUBSCRIPTIONS} AS s JOIN runs AS r ON r.id = ? AND r.parent_run_id IS NULL
    WHERE s.owner_id = ? AND s.events LIKE ?
    ON CONFLICT (id) DO NOTHING`);

  const announceOfRun = engine.prepare(`
    INSERT INTO announcements (id, owner_id, event, run_id, interrupt_id, happened_at, due_at, channel)
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

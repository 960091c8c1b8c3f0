import type { Kysely } from 'kysely';
import type { NewRunWebhook, Owner, RunWebhookView } from '@toolyard/protocol';
import { affectsRows, aliased } from '../engine/columns.ts';
import type { Schema } from '../schema.ts';

/** Where an owner receives which notifications; the signing secret is not stored here. */
export type StoredWebhook = { url: string; events: readonly string[]; origin: 'file' | 'settings'; updatedAt: number };

/** An event to be delivered. */
export type PendingNotification = {
  /** Equal for all delivery attempts. */
  id: string;
  channel: Schema['announcements']['channel'];
  ownerId: string;
  event: string;
  runId: string;
  interruptId: string | null;
  happenedAt: number;
  /** Number of earlier attempts. */
  attempts: number;
};

/** The webhook of one run; its secret is not stored here. */
export type StoredRunWebhook = NewRunWebhook & Pick<RunWebhookView, 'state' | 'failures' | 'error'>;

export type WebhookRepository = {
  get(principal: Owner): Promise<StoredWebhook | null>;
  put(principal: Owner, webhook: Omit<StoredWebhook, 'updatedAt'>, at: number): Promise<void>;
  /** Also deletes its pending notifications. False if there was none. */
  remove(principal: Owner): Promise<boolean>;
  /** The events of which the owner is notified by e-mail; null: none, and pending e-mails are deleted. */
  setEmailEvents(principal: Owner, events: readonly string[] | null): Promise<void>;
  /** Due notifications of all owners, oldest first. Each is reserved until `until`. */
  claim(now: number, until: number, limit: number): Promise<PendingNotification[]>;
  /** Deletes a notification after delivery, or after the last attempt. */
  complete(id: string): Promise<void>;
  /** Schedules the next attempt. */
  postpone(id: string, until: number): Promise<void>;
  /** Makes all notifications of this owner's webhook due now. */
  makeDue(principal: Owner, now: number): Promise<void>;
  /** Number of pending notifications of the webhook. */
  countPending(principal: Owner): Promise<number>;
  /** Null if the run has none. */
  ofRun(principal: Owner, runId: string): Promise<StoredRunWebhook | null>;
  /** Stores the result of a delivery attempt to the webhook of a run. */
  noteOfRun(runId: string, result: Pick<RunWebhookView, 'state' | 'failures' | 'error'>): Promise<void>;
};

const NOTIFICATION = aliased('id, channel, owner_id, event, run_id, interrupt_id, happened_at, attempts, due_at');

export function createWebhookRepository(db: Kysely<Schema>): WebhookRepository {
  async function deletePending(ownerId: string, channel: PendingNotification['channel']): Promise<void> {
    await db.deleteFrom('announcements').where('owner_id', '=', ownerId).where('channel', '=', channel).execute();
  }

  return {
    async get({ ownerId }) {
      const row = await db
        .selectFrom('webhooks')
        .select(aliased('url, events, origin, updated_at'))
        .where('owner_id', '=', ownerId)
        .executeTakeFirst();
      return row === undefined ? null : { ...row, events: row.events.split(',').filter((name) => name !== '') };
    },
    async put({ ownerId }, { url, events, origin }, at) {
      const row = { url, events: listed(events), origin, updated_at: at };
      await db
        .insertInto('webhooks')
        .values({ owner_id: ownerId, ...row })
        .onConflict((conflict) => conflict.column('owner_id').doUpdateSet(row))
        .execute();
    },
    async remove({ ownerId }) {
      await deletePending(ownerId, 'webhook');
      return affectsRows(db.deleteFrom('webhooks').where('owner_id', '=', ownerId));
    },
    async setEmailEvents({ ownerId }, events) {
      if (events === null) {
        await db.deleteFrom('email_subscriptions').where('owner_id', '=', ownerId).execute();
        return deletePending(ownerId, 'email');
      }
      const row = { events: listed(events) };
      await db
        .insertInto('email_subscriptions')
        .values({ owner_id: ownerId, ...row })
        .onConflict((conflict) => conflict.column('owner_id').doUpdateSet(row))
        .execute();
    },
    async claim(now, until, limit) {
      const due = await db
        .selectFrom('announcements')
        .select(NOTIFICATION)
        .where('due_at', '<=', now)
        .orderBy('due_at')
        .orderBy('id')
        .limit(limit)
        .execute();
      const claimed: PendingNotification[] = [];
      for (const { dueAt, ...row } of due) {
        // Compare-and-set: only one process gets it.
        const isClaimed = await affectsRows(
          db
            .updateTable('announcements')
            .set({ due_at: until, attempts: row.attempts + 1 })
            .where('id', '=', row.id)
            .where('due_at', '=', dueAt)
            .where('attempts', '=', row.attempts),
        );
        if (isClaimed) claimed.push(row);
      }
      return claimed;
    },
    async complete(id) {
      await db.deleteFrom('announcements').where('id', '=', id).execute();
    },
    async postpone(id, until) {
      await db.updateTable('announcements').set({ due_at: until }).where('id', '=', id).execute();
    },
    async makeDue({ ownerId }, now) {
      await db
        .updateTable('announcements')
        .set({ due_at: now })
        .where('owner_id', '=', ownerId)
        .where('channel', '=', 'webhook')
        .where('due_at', '>', now)
        .execute();
    },
    async countPending({ ownerId }) {
      const row = await db
        .selectFrom('announcements')
        .select(({ fn }) => fn.countAll().as('count'))
        .where('owner_id', '=', ownerId)
        .where('channel', '=', 'webhook')
        .executeTakeFirst();
      return Number(row?.count ?? 0);
    },
    async ofRun({ ownerId }, runId) {
      const row = await db
        .selectFrom('run_webhooks')
        .select(['url', 'trusted', 'state', 'failures', 'error'])
        .where('run_id', '=', runId)
        .where('owner_id', '=', ownerId)
        .executeTakeFirst();
      if (row === undefined) return null;
      return { ...row, trusted: row.trusted === 1 };
    },
    async noteOfRun(runId, result) {
      await db.updateTable('run_webhooks').set(result).where('run_id', '=', runId).execute();
    },
  };
}

/** With a comma before and after each name, so that one can be searched for. */
function listed(events: readonly string[]): string {
  return `,${events.join(',')},`;
}

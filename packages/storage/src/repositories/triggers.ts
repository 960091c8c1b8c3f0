import { encodeReason, decodeReason } from './stored-reason.ts';
import type { JsonObject, Owner, TriggerDelivery } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { selectList } from '../engine/columns.ts';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { statements, transaction } from '../engine/work.ts';
import { decodeObject, encodeJson, scrubText } from '../text.ts';

export type StoredTrigger = {
  id: string;
  ownerId: string;
  title: string;
  /** Opaque here: agent, template, signature and limits. */
  definition: JsonObject;
  enabled: boolean;
  /** Starts at 1 and is incremented with every change. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

export type DeliveryKey = { triggerId: string; id: string };
export type StoredDelivery = TriggerDelivery & DeliveryKey & { ownerId: string; task: string | null };
/** A delivery whose run is to be started; another process does it after `retryAt`. */
type NewDelivery = DeliveryKey & { at: number; task: string; retryAt: number };
type DeliveryOutcome = Pick<TriggerDelivery, 'outcome' | 'reason' | 'templates' | 'runId' | 'conversationId'>;

/** Incoming webhooks and their deliveries. */
export type TriggerRepository = {
  /** @throws ToolyardError `bad_request` if the id exists. */
  create(principal: Owner, trigger: Omit<StoredTrigger, 'ownerId' | 'version' | 'updatedAt'>): Promise<StoredTrigger>;
  get(principal: Owner, id: string): Promise<StoredTrigger | null>;
  /** Of any owner: the signature of a delivery authenticates it. */
  find(id: string): Promise<StoredTrigger | null>;
  /** By title. */
  list(principal: Owner): Promise<StoredTrigger[]>;
  /** Null if it does not exist or its version differs. */
  update(
    principal: Owner,
    id: string,
    change: Pick<StoredTrigger, 'title' | 'definition' | 'enabled' | 'version'> & { at: number },
  ): Promise<StoredTrigger | null>;
  remove(principal: Owner, id: string): Promise<boolean>;
  /** Stores a delivery as due; null if this one was accepted before. One that failed or was rejected is due again. */
  accept(trigger: Pick<StoredTrigger, 'id' | 'ownerId'>, delivery: NewDelivery): Promise<StoredDelivery | null>;
  /** Stores a request that was not accepted, unless one with this id is stored. */
  reject(
    trigger: Pick<StoredTrigger, 'id' | 'ownerId'>,
    delivery: { id: string; at: number; outcome: 'failed' | 'rejected' } & Pick<
      TriggerDelivery,
      'reason' | 'templates'
    >,
  ): Promise<void>;
  getDelivery(key: DeliveryKey): Promise<StoredDelivery | null>;
  /** Reserves due deliveries of all owners, until `retryAt`. */
  claimDue(now: number, retryAt: number, limit: number): Promise<StoredDelivery[]>;
  /** Replaces the outcome of a due delivery. */
  settle(key: DeliveryKey, outcome: DeliveryOutcome): Promise<void>;
  /** The last ones, the latest first. */
  deliveries(principal: Owner, triggerId: string, limit: number): Promise<StoredDelivery[]>;
  /** Deletes deliveries of all owners from before this time. */
  sweep(before: number): Promise<void>;
};

type Row = Omit<StoredTrigger, 'definition' | 'enabled'> & { definition: string; enabled: number };
type DeliveryRow = Omit<StoredDelivery, 'templates'>;

const COLUMNS = 'id, owner_id, title, definition, enabled, version, created_at, updated_at';
const READ = `SELECT ${selectList(COLUMNS)} FROM triggers`;
const DELIVERY_COLUMNS = selectList('trigger_id, id, owner_id, at, outcome, reason, run_id, conversation_id, task');

export function createTriggerRepository(engine: StorageEngine): TriggerRepository {
  const own = 'id = ? AND owner_id = ?';
  const insert = engine.prepare(`
    INSERT INTO triggers (${COLUMNS}) VALUES (?, ?, ?, ?, ?, 1, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const select = engine.prepare<Row>(`${READ} WHERE ${own}`);
  const selectAny = engine.prepare<Row>(`${READ} WHERE id = ?`);
  const selectAll = engine.prepare<Row>(`${READ} WHERE owner_id = ? ORDER BY title, id`);
  const change = engine.prepare(`
    UPDATE triggers SET title = ?, definition = ?, enabled = ?, version = version + 1, updated_at = ?
    WHERE ${own} AND version = ?`);
  const remove = engine.prepare(`DELETE FROM triggers WHERE ${own}`);
  const insertDelivery = engine.prepare(`
    INSERT INTO trigger_deliveries (trigger_id, id, owner_id, at, outcome, reason, task, retry_at)
    SELECT id, CAST(?3 AS TEXT), owner_id, CAST(?4 AS BIGINT), CAST(?5 AS TEXT), CAST(?6 AS TEXT), CAST(?7 AS TEXT),
      CAST(?8 AS BIGINT)
    FROM triggers WHERE id = ?1 AND owner_id = ?2
    ON CONFLICT (trigger_id, id) DO NOTHING`);
  const acceptAgain = engine.prepare(`
    UPDATE trigger_deliveries SET at = ?, outcome = 'due', reason = NULL, task = ?, retry_at = ?
    WHERE trigger_id = ? AND id = ? AND outcome IN ('failed', 'rejected')`);
  const selectDelivery = engine.prepare<DeliveryRow>(`
    SELECT ${DELIVERY_COLUMNS} FROM trigger_deliveries WHERE trigger_id = ? AND id = ?`);
  const selectDue = engine.prepare<DeliveryRow & { retryAt: number }>(`
    SELECT ${DELIVERY_COLUMNS}, retry_at AS "retryAt" FROM trigger_deliveries
    WHERE retry_at IS NOT NULL AND retry_at <= ? ORDER BY retry_at, trigger_id, id LIMIT ?`);
  const reserve = engine.prepare(`
    UPDATE trigger_deliveries SET retry_at = ? WHERE trigger_id = ? AND id = ? AND retry_at = ?`);
  const settle = engine.prepare(`
    UPDATE trigger_deliveries SET outcome = ?, reason = ?, run_id = ?, conversation_id = ?, task = NULL, retry_at = NULL
    WHERE trigger_id = ? AND id = ? AND outcome = 'due'`);
  const selectLatest = engine.prepare<DeliveryRow>(`
    SELECT ${DELIVERY_COLUMNS} FROM trigger_deliveries WHERE trigger_id = ? AND owner_id = ?
    ORDER BY at DESC, id DESC LIMIT ?`);
  const sweep = engine.prepare('DELETE FROM trigger_deliveries WHERE at < ? AND retry_at IS NULL');

  function* find(id: string, ownerId: string): StoreWork<StoredTrigger | null> {
    const row = yield* select.get(id, ownerId);
    return row === undefined ? null : toTrigger(row);
  }

  return {
    async create({ ownerId }, { id, title, definition, enabled, createdAt }) {
      const job = transaction('trigger', 'full', function* () {
        const values = [scrubText(title), encodeJson(definition), enabled ? 1 : 0, createdAt, createdAt] as const;
        return (yield* insert.run(id, ownerId, ...values)) === 0 ? null : yield* find(id, ownerId);
      });
      const created = await engine.perform(job);
      if (created !== null) return created;
      throw new ToolyardError({ code: 'bad_request', message: `The id ${id} is taken.` });
    },
    get: async ({ ownerId }, id) => engine.perform(statements(() => find(id, ownerId))),
    async find(id) {
      const row = await engine.perform(statements(() => selectAny.get(id)));
      return row === undefined ? null : toTrigger(row);
    },
    async list({ ownerId }) {
      return (await engine.perform(statements(() => selectAll.all(ownerId)))).map(toTrigger);
    },
    async update({ ownerId }, id, { title, definition, enabled, version, at }) {
      const job = transaction('trigger', 'full', function* () {
        const values = [scrubText(title), encodeJson(definition), enabled ? 1 : 0, at] as const;
        return (yield* change.run(...values, id, ownerId, version)) === 0 ? null : yield* find(id, ownerId);
      });
      return engine.perform(job);
    },
    async remove({ ownerId }, id) {
      return (await engine.perform(statements(() => remove.run(id, ownerId)))) === 1;
    },
    async accept({ id: triggerId, ownerId }, { id, at, task, retryAt }) {
      const text = scrubText(task);
      const job = transaction('trigger-delivery', 'full', function* () {
        const isNew = (yield* insertDelivery.run(triggerId, ownerId, id, at, 'due', null, text, retryAt)) === 1;
        if (!isNew && (yield* acceptAgain.run(at, text, retryAt, triggerId, id)) === 0) return null;
        return (yield* selectDelivery.get(triggerId, id)) ?? null;
      });
      const row = await engine.perform(job);
      return row === null ? null : toDelivery(row);
    },
    async reject({ id: triggerId, ownerId }, { id, at, outcome, ...reason }) {
      const text = encodeReason(reason);
      await engine.perform(statements(() => insertDelivery.run(triggerId, ownerId, id, at, outcome, text, null, null)));
    },
    async getDelivery({ triggerId, id }) {
      const row = await engine.perform(statements(() => selectDelivery.get(triggerId, id)));
      return row === undefined ? null : toDelivery(row);
    },
    async claimDue(now, retryAt, limit) {
      return engine.perform(
        statements(function* () {
          const claimed: StoredDelivery[] = [];
          for (const { retryAt: at, ...row } of yield* selectDue.all(now, limit)) {
            // Compare-and-set: only one process gets it.
            if ((yield* reserve.run(retryAt, row.triggerId, row.id, at)) === 1) claimed.push(toDelivery(row));
          }
          return claimed;
        }),
      );
    },
    async settle({ triggerId, id }, { outcome, runId, conversationId, ...reason }) {
      const text = encodeReason(reason);
      await engine.perform(statements(() => settle.run(outcome, text, runId, conversationId, triggerId, id)));
    },
    async deliveries({ ownerId }, triggerId, limit) {
      return (await engine.perform(statements(() => selectLatest.all(triggerId, ownerId, limit)))).map(toDelivery);
    },
    async sweep(before) {
      await engine.perform(statements(() => sweep.run(before)));
    },
  };
}

function toTrigger({ definition, enabled, ...row }: Row): StoredTrigger {
  return { ...row, definition: decodeObject(definition), enabled: enabled === 1 };
}

function toDelivery(row: DeliveryRow): StoredDelivery {
  return { ...row, ...decodeReason(row.reason) };
}

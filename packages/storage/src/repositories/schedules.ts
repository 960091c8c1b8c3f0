import { encodeReason, decodeReason } from './stored-reason.ts';
import type { JsonObject, Owner, ScheduleFiring } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { selectList } from '../engine/columns.ts';
import type { StorageEngine } from '../engine/engine.ts';
import type { StoreWork } from '../engine/work.ts';
import { statements, transaction } from '../engine/work.ts';
import { ACTIVE_STATUSES } from '../runs/run-rows.ts';
import { decodeObject, encodeJson, scrubText } from '../text.ts';

export type StoredSchedule = {
  id: string;
  ownerId: string;
  title: string;
  /** Opaque here: timing, task and policies. */
  definition: JsonObject;
  enabled: boolean;
  createdBy: 'user' | 'model';
  /** The conversation in which a model created it; its title is null if it does not exist any more. */
  createdIn: { conversationId: string; title: string | null } | null;
  nextAt: number | null;
  /** Number of times at which a run was to start; `onDay` of them on the local day `day`. */
  used: { fired: number; day: string | null; onDay: number };
  /** Starts at 1 and is incremented with every change by a user. */
  version: number;
  createdAt: number;
  updatedAt: number;
};

/** A time of a schedule. */
export type FiringKey = { scheduleId: string; plannedAt: number };

export type DueFiring = FiringKey & { ownerId: string; outcome: 'due' | 'waiting' };

/** The times of a schedule that one process takes, and the state after them. */
type ClaimedTimes = {
  schedule: Pick<StoredSchedule, 'id' | 'nextAt' | 'version'>;
  fire: readonly number[];
  skipped: ({ plannedAt: number } & Pick<ScheduleFiring, 'reason' | 'templates'>) | null;
  next: Pick<StoredSchedule, 'nextAt' | 'used'>;
  at: number;
  /** When another process may start the runs, if this one has not. */
  retryAt: number;
};

/** The outcome of one time. `retryAt`: when it is checked again; null if it is final. */
export type FiringOutcome = Omit<ScheduleFiring, 'plannedAt' | 'runStatus'> & { retryAt: number | null };

/** Tasks that run at given times. Each change is compare-and-set, so that each time is taken by one process. */
export type ScheduleRepository = {
  /** @throws ToolyardError `bad_request` if the id exists. */
  create(
    principal: Owner,
    schedule: Omit<StoredSchedule, 'ownerId' | 'version' | 'updatedAt' | 'createdIn'> & { createdIn?: string },
  ): Promise<StoredSchedule>;
  get(principal: Owner, id: string): Promise<StoredSchedule | null>;
  /** By title. */
  list(principal: Owner): Promise<StoredSchedule[]>;
  /** Null if it does not exist or its version differs: the caller has read an older one. */
  update(
    principal: Owner,
    id: string,
    change: Pick<StoredSchedule, 'title' | 'definition' | 'enabled' | 'nextAt' | 'version'> & { at: number },
  ): Promise<StoredSchedule | null>;
  remove(principal: Owner, id: string): Promise<boolean>;
  /** Enabled schedules of all owners that are due, the longest due first. */
  due(now: number, limit: number): Promise<StoredSchedule[]>;
  /** The next time of any schedule, and the next check of an open firing; null without one. */
  nextAt(): Promise<number | null>;
  /** Takes times of a schedule; false if another process did, or a user changed the schedule. */
  claim(principal: Owner, times: ClaimedTimes): Promise<boolean>;
  /** Stores one time for a run that a user starts; false if there is one at this moment. */
  addFiring(principal: Owner, key: FiringKey, at: number, retryAt: number): Promise<boolean>;
  /** Reserves open firings that are due for another check, until `retryAt`. */
  claimFirings(now: number, retryAt: number, limit: number): Promise<DueFiring[]>;
  /** Replaces the outcome of an open firing. */
  settle(key: FiringKey, outcome: FiringOutcome): Promise<void>;
  /** The last ones, the latest first. */
  firings(principal: Owner, scheduleId: string, limit: number): Promise<ScheduleFiring[]>;
  /** The last firing of each schedule, by schedule. */
  lastFirings(principal: Owner): Promise<ReadonlyMap<string, ScheduleFiring>>;
  /** True if a time of a schedule started this run, or was to start it. */
  hasFiring(principal: Owner, key: FiringKey): Promise<boolean>;
  /** True if a run that another time started is active. */
  hasActiveRun(key: FiringKey): Promise<boolean>;
  /** True if an earlier time waits for a run to end. */
  hasEarlierWaiting(key: FiringKey): Promise<boolean>;
};

type Row = Omit<StoredSchedule, 'definition' | 'enabled' | 'createdIn' | 'used'> & {
  schedule: string;
  enabled: number;
  createdIn: string | null;
  createdInTitle: string | null;
  fired: number;
  countedDay: string | null;
  firedOnDay: number;
};

type FiringRow = Omit<ScheduleFiring, 'reason' | 'templates'> & { scheduleId: string; reason: string | null };
type OpenRow = FiringKey & { ownerId: string; outcome: ScheduleFiring['outcome']; retryAt: number };

const COLUMNS = `id, owner_id, title, schedule, enabled, created_by, next_at, fired, counted_day, fired_on_day, version,
  created_at, updated_at, created_in`;
/** The title of the conversation in which it was created: null if it was deleted. */
const READ_COLUMNS = `${selectList(COLUMNS)}, (SELECT c.title FROM conversations AS c
  WHERE c.id = created_in AND c.owner_id = schedules.owner_id AND c.deleted_at IS NULL) AS "createdInTitle"`;
const FIRINGS = `SELECT f.schedule_id AS "scheduleId", f.planned_at AS "plannedAt", f.outcome, f.reason,
  f.run_id AS "runId", f.conversation_id AS "conversationId", f.at, r.status AS "runStatus" FROM schedule_firings AS f LEFT JOIN runs AS r ON r.id = f.run_id`;

export function createScheduleRepository(engine: StorageEngine): ScheduleRepository {
  const insert = engine.prepare(`
    INSERT INTO schedules (${COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, ?, ?, ?) ON CONFLICT (id) DO NOTHING`);
  const own = 'id = ? AND owner_id = ?';
  const select = engine.prepare<Row>(`SELECT ${READ_COLUMNS} FROM schedules WHERE ${own}`);
  const selectAll = engine.prepare<Row>(`SELECT ${READ_COLUMNS} FROM schedules WHERE owner_id = ? ORDER BY title, id`);
  const change = engine.prepare(`
    UPDATE schedules SET title = ?, schedule = ?, enabled = ?, next_at = ?, version = version + 1, updated_at = ?
    WHERE ${own} AND version = ?`);
  const remove = engine.prepare(`DELETE FROM schedules WHERE ${own}`);
  const selectDue = engine.prepare<Row>(`
    SELECT ${READ_COLUMNS} FROM schedules WHERE enabled = 1 AND next_at IS NOT NULL AND next_at <= ? ORDER BY next_at, id LIMIT ?`);
  const selectNext = engine.prepare<{ at: number | null }>(`
    SELECT min(at) AS at FROM (
      SELECT min(next_at) AS at FROM schedules WHERE enabled = 1 AND next_at IS NOT NULL
      UNION ALL SELECT min(retry_at) AS at FROM schedule_firings WHERE retry_at IS NOT NULL) AS times`);
  const advance = engine.prepare(`
    UPDATE schedules SET next_at = ?, fired = ?, counted_day = ?, fired_on_day = ?
    WHERE ${own} AND enabled = 1 AND version = ? AND next_at = ?`);
  const insertFiring = engine.prepare(`
    INSERT INTO schedule_firings (schedule_id, planned_at, owner_id, outcome, reason, at, retry_at)
    SELECT id, CAST(? AS BIGINT), owner_id, CAST(? AS TEXT), CAST(? AS TEXT), CAST(? AS BIGINT), CAST(? AS BIGINT)
    FROM schedules WHERE ${own}
    ON CONFLICT (schedule_id, planned_at) DO NOTHING`);
  const selectOpen = engine.prepare<OpenRow>(`
    SELECT ${selectList('schedule_id, planned_at, owner_id, outcome, retry_at')} FROM schedule_firings
    WHERE retry_at IS NOT NULL AND retry_at <= ? ORDER BY retry_at, schedule_id, planned_at LIMIT ?`);
  const reserve = engine.prepare(`
    UPDATE schedule_firings SET retry_at = ? WHERE schedule_id = ? AND planned_at = ? AND retry_at = ?`);
  const settle = engine.prepare(`
    UPDATE schedule_firings SET outcome = ?, reason = ?, run_id = ?, conversation_id = ?, at = ?, retry_at = ?
    WHERE schedule_id = ? AND planned_at = ? AND outcome IN ('due', 'waiting')`);
  const selectFirings = engine.prepare<FiringRow>(`
    ${FIRINGS} WHERE f.schedule_id = ? AND f.owner_id = ? ORDER BY f.planned_at DESC LIMIT ?`);
  const selectLast = engine.prepare<FiringRow>(`
    ${FIRINGS} JOIN schedules AS s ON s.id = f.schedule_id
    WHERE s.owner_id = ? AND f.planned_at = (SELECT max(planned_at) FROM schedule_firings WHERE schedule_id = s.id)`);
  const selectFiring = engine.prepare(
    'SELECT 1 FROM schedule_firings WHERE schedule_id = ? AND planned_at = ? AND owner_id = ?',
  );
  const selectActive = engine.prepare(`
    SELECT 1 FROM schedule_firings AS f JOIN runs AS r ON r.id = f.run_id
    WHERE f.schedule_id = ? AND f.planned_at <> ? AND f.outcome = 'started' AND r.status IN ${ACTIVE_STATUSES} LIMIT 1`);
  const selectWaiting = engine.prepare(`
    SELECT 1 FROM schedule_firings WHERE schedule_id = ? AND planned_at < ? AND outcome = 'waiting' LIMIT 1`);

  function* find(id: string, ownerId: string): StoreWork<StoredSchedule | null> {
    const row = yield* select.get(id, ownerId);
    return row === undefined ? null : toSchedule(row);
  }

  return {
    async create({ ownerId }, { id, title, definition, enabled, createdBy, createdIn, nextAt, used, createdAt }) {
      const { fired, day, onDay } = used;
      const job = transaction('schedule', 'full', function* () {
        const made = yield* insert.run(
          id,
          ownerId,
          scrubText(title),
          encodeJson(definition),
          enabled ? 1 : 0,
          createdBy,
          nextAt,
          fired,
          day,
          onDay,
          createdAt,
          createdAt,
          createdIn ?? null,
        );
        return made === 0 ? null : yield* find(id, ownerId);
      });
      const created = await engine.perform(job);
      if (created !== null) return created;
      throw new ToolyardError({ code: 'bad_request', message: `The id ${id} is taken.` });
    },
    get: async ({ ownerId }, id) => engine.perform(statements(() => find(id, ownerId))),
    async list({ ownerId }) {
      return (await engine.perform(statements(() => selectAll.all(ownerId)))).map(toSchedule);
    },
    async update({ ownerId }, id, { title, definition, enabled, nextAt, version, at }) {
      const job = transaction('schedule', 'full', function* () {
        const values = [scrubText(title), encodeJson(definition), enabled ? 1 : 0, nextAt, at] as const;
        return (yield* change.run(...values, id, ownerId, version)) === 0 ? null : yield* find(id, ownerId);
      });
      return engine.perform(job);
    },
    async remove({ ownerId }, id) {
      return (await engine.perform(statements(() => remove.run(id, ownerId)))) === 1;
    },
    async due(now, limit) {
      return (await engine.perform(statements(() => selectDue.all(now, limit)))).map(toSchedule);
    },
    async nextAt() {
      return (await engine.perform(statements(() => selectNext.get())))?.at ?? null;
    },
    async claim({ ownerId }, { schedule, fire, skipped, next, at, retryAt }) {
      const { fired, day, onDay } = next.used;
      const job = transaction('schedule', 'full', function* () {
        const values = [
          next.nextAt,
          fired,
          day,
          onDay,
          schedule.id,
          ownerId,
          schedule.version,
          schedule.nextAt,
        ] as const;
        if ((yield* advance.run(...values)) === 0) return false;
        for (const plannedAt of fire)
          yield* insertFiring.run(plannedAt, 'due', null, at, retryAt, schedule.id, ownerId);
        if (skipped !== null) {
          const { plannedAt } = skipped;
          yield* insertFiring.run(plannedAt, 'skipped', encodeReason(skipped), at, null, schedule.id, ownerId);
        }
        return true;
      });
      return engine.perform(job);
    },
    async addFiring({ ownerId }, { scheduleId, plannedAt }, at, retryAt) {
      const add = () => insertFiring.run(plannedAt, 'due', null, at, retryAt, scheduleId, ownerId);
      return (await engine.perform(statements(add))) === 1;
    },
    async claimFirings(now, retryAt, limit) {
      return engine.perform(
        statements(function* () {
          const claimed: DueFiring[] = [];
          for (const { outcome, retryAt: at, ...key } of yield* selectOpen.all(now, limit)) {
            if (outcome !== 'due' && outcome !== 'waiting') continue;
            // Compare-and-set: only one process gets it.
            if ((yield* reserve.run(retryAt, key.scheduleId, key.plannedAt, at)) === 0) continue;
            claimed.push({ ...key, outcome });
          }
          return claimed;
        }),
      );
    },
    async settle({ scheduleId, plannedAt }, { outcome, runId, conversationId, at, retryAt, ...text }) {
      const values = [outcome, encodeReason(text), runId, conversationId, at, retryAt, scheduleId, plannedAt] as const;
      await engine.perform(statements(() => settle.run(...values)));
    },
    async firings({ ownerId }, scheduleId, limit) {
      return (await engine.perform(statements(() => selectFirings.all(scheduleId, ownerId, limit)))).map(toFiring);
    },
    async lastFirings({ ownerId }) {
      const rows = await engine.perform(statements(() => selectLast.all(ownerId)));
      return new Map(rows.map((row) => [row.scheduleId, toFiring(row)]));
    },
    async hasFiring({ ownerId }, { scheduleId, plannedAt }) {
      return (await engine.perform(statements(() => selectFiring.get(scheduleId, plannedAt, ownerId)))) !== undefined;
    },
    async hasActiveRun({ scheduleId, plannedAt }) {
      return (await engine.perform(statements(() => selectActive.get(scheduleId, plannedAt)))) !== undefined;
    },
    async hasEarlierWaiting({ scheduleId, plannedAt }) {
      return (await engine.perform(statements(() => selectWaiting.get(scheduleId, plannedAt)))) !== undefined;
    },
  };
}

function toSchedule(row: Row): StoredSchedule {
  const { schedule, enabled, createdIn, createdInTitle, fired, countedDay, firedOnDay, ...others } = row;
  return {
    ...others,
    definition: decodeObject(schedule),
    enabled: enabled === 1,
    createdIn: createdIn === null ? null : { conversationId: createdIn, title: createdInTitle },
    used: { fired, day: countedDay, onDay: firedOnDay },
  };
}

function toFiring({ scheduleId: _scheduleId, reason, ...firing }: FiringRow): ScheduleFiring {
  return { ...firing, ...decodeReason(reason) };
}

/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Tasks that run at given times, and what happened at each of their times. */
export const schedules: readonly string[] = [
  `CREATE TABLE schedules (
    id ${TEXT} PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    title ${TEXT} NOT NULL,
    schedule ${TEXT} NOT NULL,
    enabled INTEGER NOT NULL,
    created_by ${TEXT} NOT NULL,
    next_at BIGINT,
    fired INTEGER NOT NULL,
    counted_day ${TEXT},
    fired_on_day INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE INDEX schedules_due ON schedules (next_at) WHERE enabled = 1 AND next_at IS NOT NULL`,
  `CREATE INDEX schedules_of_owner ON schedules (owner_id, title)`,
  `CREATE TABLE schedule_firings (
    schedule_id ${TEXT} NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    planned_at BIGINT NOT NULL,
    owner_id ${TEXT} NOT NULL,
    outcome ${TEXT} NOT NULL,
    reason ${TEXT},
    run_id ${TEXT},
    conversation_id ${TEXT},
    at BIGINT NOT NULL,
    retry_at BIGINT,
    PRIMARY KEY (schedule_id, planned_at)
  )`,
  `CREATE INDEX schedule_firings_open ON schedule_firings (retry_at) WHERE retry_at IS NOT NULL`,
];

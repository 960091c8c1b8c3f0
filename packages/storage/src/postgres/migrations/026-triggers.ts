/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Incoming webhooks and their deliveries. `task` is the message of a run that was not started yet. */
export const triggers: readonly string[] = [
  `CREATE TABLE triggers (
    id ${TEXT} NOT NULL PRIMARY KEY,
    owner_id ${TEXT} NOT NULL,
    title ${TEXT} NOT NULL,
    definition ${TEXT} NOT NULL,
    enabled INTEGER NOT NULL,
    version INTEGER NOT NULL,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
  )`,
  `CREATE INDEX triggers_of_owner ON triggers (owner_id, title)`,
  `CREATE TABLE trigger_deliveries (
    trigger_id ${TEXT} NOT NULL REFERENCES triggers (id) ON DELETE CASCADE,
    id ${TEXT} NOT NULL,
    owner_id ${TEXT} NOT NULL,
    at BIGINT NOT NULL,
    outcome ${TEXT} NOT NULL,
    reason ${TEXT},
    run_id ${TEXT},
    conversation_id ${TEXT},
    task ${TEXT},
    retry_at BIGINT,
    PRIMARY KEY (trigger_id, id)
  )`,
  `CREATE INDEX trigger_deliveries_latest ON trigger_deliveries (trigger_id, at)`,
  `CREATE INDEX trigger_deliveries_open ON trigger_deliveries (retry_at) WHERE retry_at IS NOT NULL`,
];

/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

const KEYS = 'owner_id, day, kind, source, name, for_tool, agent_id, slot';
const COUNTS = ['calls', 'failures', 'duration_ms', 'cost', 'unpriced', 'uncounted'];
const TOKENS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_tokens', 'reasoning_tokens'];
const COLUMNS = `${KEYS}, ${[...COUNTS, ...TOKENS].join(', ')}`;

/**
 * Usage summed per day, so that totals and budgets do not read one row per run. A trigger maintains it in the transaction
 * that writes `usage_sums`, so it is also right while a process of an older version writes. `slot` differs per connection:
 * transactions that add to the same day neither wait for each other nor deadlock.
 */
export const usageDays: readonly string[] = [
  `CREATE TABLE usage_days (
    owner_id ${TEXT} NOT NULL,
    day ${TEXT} NOT NULL,
    kind ${TEXT} NOT NULL,
    source ${TEXT} NOT NULL,
    name ${TEXT} NOT NULL,
    for_tool ${TEXT} NOT NULL,
    agent_id ${TEXT} NOT NULL,
    slot INTEGER NOT NULL,
    calls BIGINT NOT NULL,
    failures BIGINT NOT NULL,
    duration_ms BIGINT NOT NULL,
    input_tokens BIGINT,
    output_tokens BIGINT,
    cached_input_tokens BIGINT,
    cache_write_tokens BIGINT,
    reasoning_tokens BIGINT,
    cost DOUBLE PRECISION NOT NULL,
    unpriced BIGINT NOT NULL,
    uncounted BIGINT NOT NULL,
    PRIMARY KEY (${KEYS})
  )`,
  // Tables that are dropped leave their functions behind. OLD is null for an INSERT.
  `CREATE OR REPLACE FUNCTION add_to_usage_days() RETURNS TRIGGER LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO usage_days AS d (${COLUMNS})
    VALUES (NEW.owner_id, NEW.day, NEW.kind, NEW.source, NEW.name, NEW.for_tool, NEW.agent_id, pg_backend_pid() % 1024,
      ${[...COUNTS, ...TOKENS].map((column) => `NEW.${column} - coalesce(OLD.${column}, 0)`).join(', ')})
    ON CONFLICT (${KEYS}) DO UPDATE SET
      ${COUNTS.map((column) => `${column} = d.${column} + excluded.${column}`).join(', ')},
      ${TOKENS.map((column) => `${column} = CASE WHEN excluded.${column} IS NULL THEN d.${column} ELSE coalesce(d.${column}, 0) + excluded.${column} END`).join(', ')};
    RETURN NULL;
  END $$`,
  // Locks usage_sums against writers until this migration commits, so that the sums below miss no row.
  `CREATE TRIGGER usage_sums_written AFTER INSERT OR UPDATE ON usage_sums
    FOR EACH ROW EXECUTE FUNCTION add_to_usage_days()`,
  `INSERT INTO usage_days (${COLUMNS})
    SELECT owner_id, day, kind, source, name, for_tool, agent_id, 0,
      ${[...COUNTS, ...TOKENS].map((column) => `sum(${column})`).join(', ')}
    FROM usage_sums GROUP BY 1, 2, 3, 4, 5, 6, 7`,
];

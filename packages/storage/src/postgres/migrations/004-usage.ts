/** Byte order, as in the other tables: independent of the locale of the database. */
const TEXT = 'TEXT COLLATE "C"';

/** Usage by day and run: one row for all calls of one model or tool in a run. */
export const usage: readonly string[] = [
  `CREATE TABLE usage_sums (
    owner_id ${TEXT} NOT NULL,
    day ${TEXT} NOT NULL,
    run_id ${TEXT} NOT NULL,
    kind ${TEXT} NOT NULL,
    source ${TEXT} NOT NULL,
    name ${TEXT} NOT NULL,
    for_tool ${TEXT} NOT NULL,
    place ${TEXT} NOT NULL,
    conversation_id ${TEXT} NOT NULL,
    agent_id ${TEXT} NOT NULL,
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
    PRIMARY KEY (owner_id, day, run_id, kind, source, name, for_tool, place)
  )`,
  `CREATE INDEX usage_of_conversation ON usage_sums (conversation_id) WHERE conversation_id <> ''`,
];

/** Usage by day and run: one row for all calls of one model or tool in a run. */
export const usage: readonly string[] = [
  `CREATE TABLE usage_sums (
    owner_id TEXT NOT NULL,
    day TEXT NOT NULL,
    run_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    for_tool TEXT NOT NULL,
    place TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    calls INTEGER NOT NULL,
    failures INTEGER NOT NULL,
    duration_ms INTEGER NOT NULL,
    input_tokens INTEGER,
    output_tokens INTEGER,
    cached_input_tokens INTEGER,
    cache_write_tokens INTEGER,
    reasoning_tokens INTEGER,
    cost REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    uncounted INTEGER NOT NULL,
    PRIMARY KEY (owner_id, day, run_id, kind, source, name, for_tool, place)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX usage_of_conversation ON usage_sums (conversation_id) WHERE conversation_id <> ''`,
];

const KEYS = 'owner_id, day, kind, source, name, for_tool, agent_id, slot';
const COUNTS = ['calls', 'failures', 'duration_ms', 'cost', 'unpriced', 'uncounted'];
const TOKENS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_tokens', 'reasoning_tokens'];

const add = (values: readonly string[]): string => `
  INSERT INTO usage_days (${KEYS}, ${[...COUNTS, ...TOKENS].join(', ')})
  VALUES (new.owner_id, new.day, new.kind, new.source, new.name, new.for_tool, new.agent_id, 0, ${values.join(', ')})
  ON CONFLICT (${KEYS}) DO UPDATE SET
    ${COUNTS.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')},
    ${TOKENS.map((column) => `${column} = CASE WHEN excluded.${column} IS NULL THEN ${column} ELSE coalesce(${column}, 0) + excluded.${column} END`).join(', ')};`;

/**
 * Usage summed per day, so that totals and budgets do not read one row per run. Triggers maintain it in the transaction
 * that writes `usage_sums`. `slot` is always 0 here; on PostgreSQL it separates connections.
 */
export const usageDays: readonly string[] = [
  `CREATE TABLE usage_days (
    owner_id TEXT NOT NULL,
    day TEXT NOT NULL,
    kind TEXT NOT NULL,
    source TEXT NOT NULL,
    name TEXT NOT NULL,
    for_tool TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    slot INTEGER NOT NULL,
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
    PRIMARY KEY (${KEYS})
  ) STRICT, WITHOUT ROWID`,
  `CREATE TRIGGER usage_sums_inserted AFTER INSERT ON usage_sums BEGIN
    ${add([...COUNTS, ...TOKENS].map((column) => `new.${column}`))}
  END`,
  `CREATE TRIGGER usage_sums_updated AFTER UPDATE ON usage_sums BEGIN
    ${add([
      ...COUNTS.map((column) => `new.${column} - old.${column}`),
      ...TOKENS.map((column) => `new.${column} - coalesce(old.${column}, 0)`),
    ])}
  END`,
  `INSERT INTO usage_days (${KEYS}, ${[...COUNTS, ...TOKENS].join(', ')})
    SELECT owner_id, day, kind, source, name, for_tool, agent_id, 0,
      ${[...COUNTS, ...TOKENS].map((column) => `sum(${column})`).join(', ')}
    FROM usage_sums GROUP BY 1, 2, 3, 4, 5, 6, 7`,
];

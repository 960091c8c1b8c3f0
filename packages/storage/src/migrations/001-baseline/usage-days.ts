const KEYS = 'owner_id, day, kind, source, name, for_tool, agent_id, slot';
const COUNTS = ['calls', 'failures', 'duration_ms', 'cost', 'unpriced', 'uncounted'];
const TOKENS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_tokens', 'reasoning_tokens'];

/** How an engine names the rows in a trigger. */
type Rows = {
  /** The row of usage_days that exists already: a prefix of its columns. */
  stored: string;
  slot: string;
  /** What to add to a column. */
  value: (column: string) => string;
};

/** The statement of a trigger that adds a row of usage_sums to its day. `into`: usage_days, with an alias if needed. */
export const addToUsageDays = (into: string, { stored, slot, value }: Rows): string => `
  INSERT INTO ${into} (${[KEYS, ...COUNTS, ...TOKENS].join(', ')})
  VALUES (new.owner_id, new.day, new.kind, new.source, new.name, new.for_tool, new.agent_id, ${slot},
    ${[...COUNTS, ...TOKENS].map(value).join(', ')})
  ON CONFLICT (${KEYS}) DO UPDATE SET
    ${COUNTS.map((column) => `${column} = ${stored}${column} + excluded.${column}`).join(', ')},
    ${TOKENS.map((column) => `${column} = CASE WHEN excluded.${column} IS NULL THEN ${stored}${column} ELSE coalesce(${stored}${column}, 0) + excluded.${column} END`).join(', ')};`;

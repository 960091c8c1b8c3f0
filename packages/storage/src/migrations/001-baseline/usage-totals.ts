const COUNTS = ['calls', 'failures', 'duration_ms', 'cost', 'unpriced', 'uncounted'];
const TOKENS = ['input_tokens', 'output_tokens', 'cached_input_tokens', 'cache_write_tokens', 'reasoning_tokens'];
const DAY_KEYS = ['owner_id', 'day', 'kind', 'source', 'name', 'for_tool', 'agent_id'];
const CONVERSATION_KEYS = ['owner_id', 'conversation_id'];

/** How an engine writes the statements of a trigger. */
type Engine = {
  /** What names a row that exists already: SQLite takes the bare column. */
  stored: '' | 'stored.';
  slot: string;
  /** What to add to a column. */
  value: (column: string) => string;
};

/** The statements of a trigger that adds a row of usage_sums to its day and its conversation. */
export function addToUsageTotals({ stored, slot, value }: Engine): string {
  const add = (table: string, keys: Record<string, string>, counts: Record<string, string>): string => {
    const sums = { ...counts, ...Object.fromEntries([...COUNTS, ...TOKENS].map((column) => [column, value(column)])) };
    return `
      INSERT INTO ${table}${stored === '' ? '' : ' AS stored'} (${[...Object.keys(keys), ...Object.keys(sums)].join(', ')})
      VALUES (${[...Object.values(keys), ...Object.values(sums)].join(', ')})
      ON CONFLICT (${Object.keys(keys).join(', ')}) DO UPDATE SET ${Object.keys(sums)
        .map((column) =>
          TOKENS.includes(column) ? addKnown(column) : `${column} = ${stored}${column} + excluded.${column}`,
        )
        .join(', ')};`;
  };
  const addKnown = (column: string): string =>
    `${column} = CASE WHEN excluded.${column} IS NULL THEN ${stored}${column} ELSE coalesce(${stored}${column}, 0) + excluded.${column} END`;
  const news = (columns: string[]): Record<string, string> =>
    Object.fromEntries(columns.map((column) => [column, `new.${column}`]));
  const toolCalls = `CASE WHEN new.kind = 'tool' THEN ${value('calls')} ELSE 0 END`;
  return [
    add('usage_days', { ...news(DAY_KEYS), slot }, {}),
    add('usage_conversations', news(CONVERSATION_KEYS), { tool_calls: toolCalls }),
  ].join('');
}

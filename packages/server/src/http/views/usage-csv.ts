import type { UsageReport, UsageRow } from '@toolyard/protocol';

const COLUMNS: readonly [name: string, value: (row: UsageRow) => string | number | null | undefined][] = [
  ['key', ({ key }) => key],
  ['label', ({ label }) => label],
  ['model_calls', ({ modelCalls }) => modelCalls],
  ['tool_calls', ({ toolCalls }) => toolCalls],
  ['failures', ({ failures }) => failures],
  ['duration_ms', ({ durationMs }) => durationMs],
  ['input_tokens', ({ usage }) => usage.inputTokens],
  ['output_tokens', ({ usage }) => usage.outputTokens],
  ['cached_input_tokens', ({ usage }) => usage.cachedInputTokens],
  ['cache_write_tokens', ({ usage }) => usage.cacheWriteTokens],
  ['reasoning_tokens', ({ usage }) => usage.reasoningTokens],
  ['cost_usd', ({ cost }) => cost],
  ['calls_of_unknown_cost', ({ unpriced }) => unpriced],
  ['calls_of_unknown_tokens', ({ uncounted }) => uncounted],
];

/** A usage report as CSV; unknown values are empty. */
export function usageCsv({ rows }: UsageReport): string {
  const lines = [COLUMNS.map(([name]) => name), ...rows.map((row) => COLUMNS.map(([, value]) => cell(value(row))))];
  return lines.map((line) => `${line.join(',')}\r\n`).join('');
}

function cell(value: string | number | null | undefined): string {
  if (value === null || value === undefined) return '';
  if (typeof value === 'number') return String(value);
  // Titles and tool names are untrusted: a spreadsheet must not interpret them as formulas.
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

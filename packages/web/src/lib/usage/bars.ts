import type { UsageBy, UsageReport, UsageRow, UsageSum } from '@toolyard/protocol';

/** The measure of the bars. */
export type ShownMeasure = 'cost' | 'tokens' | 'calls';

/** `share` of the longest bar, from 0 to 1. `unknown`: a part of the amount is unknown. */
export type Bar = { key: string; label: string; value: number; share: number; unknown: boolean };

/** More bars cannot be distinguished; the table has them all. */
const MAX_BARS = 20;

const DAY_MS = 24 * 60 * 60 * 1_000;

/** The bars to draw: one for each day, including days without usage, or for each of the largest rows. */
export function listBars(report: UsageReport, measure: ShownMeasure): Bar[] {
  const rows = report.by === 'day' ? fillDays(report) : largest(report.rows, measure);
  const values = rows.map((row) => ({ row, value: getValue(row, measure) }));
  const most = Math.max(0, ...values.map(({ value }) => value));
  return values.map(({ row, value }) => ({
    key: row.key,
    label: row.label,
    value,
    share: most === 0 ? 0 : value / most,
    unknown: hasUnknown(row, measure),
  }));
}

/** The end of an axis above the largest value, with its marks from below: round numbers, also their halves. */
export function getAxis(bars: readonly Bar[], measure: ShownMeasure): { end: number; marks: readonly number[] } {
  const most = Math.max(0, ...bars.map(({ value }) => value));
  const isWhole = measure !== 'cost';
  if (most === 0) return { end: isWhole ? 2 : 1, marks: [0] };
  const unit = 10 ** Math.floor(Math.log10(most));
  const end = [1, 2, 4, 5, 10].map((factor) => factor * unit).find((value) => value >= most) ?? most;
  if (isWhole && end < 2) return { end: 2, marks: [0, 1, 2] };
  return { end, marks: [0, end / 2, end] };
}

/** The known amount. */
export function getValue(sum: UsageSum, measure: ShownMeasure): number {
  switch (measure) {
    case 'cost':
      return sum.cost ?? 0;
    case 'tokens':
      return (sum.usage.inputTokens ?? 0) + (sum.usage.outputTokens ?? 0);
    case 'calls':
      return sum.modelCalls + sum.toolCalls;
  }
}

export function hasUnknown(sum: UsageSum, measure: ShownMeasure): boolean {
  if (measure === 'cost') return sum.unpriced > 0;
  return measure === 'tokens' && sum.uncounted > 0;
}

/**
 * Tools have no cost: they are compared by number of calls. If no cost is known, as for local models, tokens are more
 * useful.
 */
export function usualMeasure(by: UsageBy, total?: UsageSum): ShownMeasure {
  if (by === 'tool') return 'calls';
  return total?.cost === null ? 'tokens' : 'cost';
}

/** The first of so many days up to today, in UTC. */
export function firstDay(days: number, now: number): string {
  return new Date(now - (days - 1) * DAY_MS).toISOString().slice(0, 10);
}

function largest(rows: readonly UsageRow[], measure: ShownMeasure): UsageRow[] {
  return rows.toSorted((a, b) => getValue(b, measure) - getValue(a, measure)).slice(0, MAX_BARS);
}

function fillDays({ from, to, rows }: UsageReport): UsageRow[] {
  const known = new Map(rows.map((row) => [row.key, row]));
  const days: UsageRow[] = [];
  const end = Date.parse(`${to}T00:00:00Z`);
  for (let at = Date.parse(`${from}T00:00:00Z`); at <= end; at += DAY_MS) {
    const key = new Date(at).toISOString().slice(0, 10);
    days.push(known.get(key) ?? { key, label: key, ...NOTHING });
  }
  return days;
}

const NOTHING: UsageSum = {
  modelCalls: 0,
  toolCalls: 0,
  failures: 0,
  durationMs: 0,
  usage: {},
  cost: 0,
  unpriced: 0,
  uncounted: 0,
};

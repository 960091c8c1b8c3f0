import type { BudgetInterrupt } from '@toolyard/protocol';

/** A proposed limit that lets the run continue for about as long again. */
export function suggestedLimit({ budget, measure, spent }: BudgetInterrupt): string {
  const limit = budget[measure] ?? 0;
  const more = spent[measure] + limit;
  return measure === 'dollars' ? String(Number(more.toPrecision(3))) : String(Math.ceil(more));
}

/** The limit as typed; null unless it is a number above the amount used, and whole for counted measures. */
export function readRaised(text: string, { measure, spent }: BudgetInterrupt): number | null {
  const trimmed = text.trim().replace(/^\$/, '').replace(',', '.');
  const value = trimmed === '' ? Number.NaN : Number(trimmed);
  if (!Number.isFinite(value) || value <= spent[measure]) return null;
  return measure === 'dollars' || Number.isInteger(value) ? value : null;
}

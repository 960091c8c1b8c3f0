import type { UsageReport, UsageRow } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { getAxis, listBars, firstDay, usualMeasure } from './bars.ts';

function row(key: string, more: Partial<UsageRow> = {}): UsageRow {
  const counts = { modelCalls: 1, toolCalls: 0, failures: 0, durationMs: 1, unpriced: 0, uncounted: 0 };
  return { key, label: key, ...counts, usage: { inputTokens: 3, outputTokens: 1 }, cost: 1, ...more };
}
const report = (by: UsageReport['by'], rows: UsageRow[]): UsageReport => ({
  from: '2026-02-27',
  to: '2026-03-02',
  by,
  rows,
  total: row('all'),
});

test('includes days without usage, across the end of a month', () => {
  const bars = listBars(report('day', [row('2026-02-28', { cost: 2 }), row('2026-03-02')]), 'cost');
  expect(bars.map(({ key, value, share }) => [key, value, share])).toEqual([
    ['2026-02-27', 0, 0],
    ['2026-02-28', 2, 1],
    ['2026-03-01', 0, 0],
    ['2026-03-02', 1, 0.5],
  ]);
  expect(firstDay(30, Date.UTC(2026, 2, 1, 5))).toBe('2026-01-31');
});

test('sorts other rows by the selected measure, largest first, and distinguishes unknown from zero', () => {
  const rows = [
    row('p/dear', { cost: 9, modelCalls: 1 }),
    row('p/own', { cost: null, modelCalls: 7, unpriced: 7, usage: { inputTokens: 90 } }),
  ];
  expect(listBars(report('model', rows), 'cost').map(({ key, value, unknown }) => [key, value, unknown])).toEqual([
    ['p/dear', 9, false],
    ['p/own', 0, true],
  ]);
  expect(listBars(report('model', rows), 'tokens').map(({ key, value, unknown }) => [key, value, unknown])).toEqual([
    ['p/own', 90, false],
    ['p/dear', 4, false],
  ]);
});

test('shows cost first, except for tools and if it is unknown', () => {
  expect(usualMeasure('day')).toBe('cost');
  expect(usualMeasure('model', row('all'))).toBe('cost');
  expect(usualMeasure('model', row('all', { cost: null, unpriced: 1 }))).toBe('tokens');
  expect(usualMeasure('tool', row('all', { cost: null }))).toBe('calls');
});

test.each([
  [[0, 0], 'calls', [0]],
  [[1], 'calls', [0, 1, 2]],
  [[3, 7], 'calls', [0, 5, 10]],
  [[12], 'tokens', [0, 10, 20]],
  [[100], 'tokens', [0, 50, 100]],
  [[0.031], 'cost', [0, 0.02, 0.04]],
] as const)('marks the axis of %j %s with round numbers', (values, measure, marks) => {
  const bars = values.map((value, index) => ({ key: String(index), label: '', value, share: 0, unknown: false }));
  const axis = getAxis(bars, measure);
  expect(axis.marks.map((mark) => Number(mark.toFixed(6)))).toEqual(marks);
  expect(axis.end).toBeGreaterThanOrEqual(Math.max(...values));
});

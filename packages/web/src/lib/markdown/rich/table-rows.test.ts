import { describe, expect, it } from 'vitest';
import { cellText, columnMeasure, columnWidths, isLongTable, orderRows, tableCsv } from './table-rows.ts';

const cell = (html: string) => ({ html, align: null });
const table = (...texts: string[]) => texts.map((text) => [cell(text)]);

describe('order of rows', () => {
  it.each([
    [['3,700,000', '709,000', '1,000'], '1,000 709,000 3,700,000'],
    [['$12.50', '$3', '−$4', ''], '−$4 $3 $12.50 '],
    [['12 %', '3 %', '100 %'], '3 % 12 % 100 %'],
    [['2e3', '5', '1e-2'], '1e-2 5 2e3'],
    [['2026-11-03', '2026-02-28', '2025-12-31'], '2025-12-31 2026-02-28 2026-11-03'],
    [['v10', 'v9', 'V1'], 'V1 v9 v10'],
    [['b', '', 'a', ''], 'a b  '],
    [['<strong>b</strong>', 'a'], 'a <strong>b</strong>'],
  ])('sorts %j', (texts, expected) => {
    const rows = table(...texts);
    const order = orderRows(rows, { column: 0, direction: 'ascending' }, 'en');
    expect(order.map((index) => texts[index]).join(' ')).toBe(expected);
  });

  it('keeps equal rows as written and empty ones last, in both directions', () => {
    const rows = table('1', '', '2', '1');
    expect(orderRows(rows, { column: 0, direction: 'ascending' }, 'en')).toEqual([0, 3, 2, 1]);
    expect(orderRows(rows, { column: 0, direction: 'descending' }, 'en')).toEqual([2, 0, 3, 1]);
  });
});

it.each([
  [300, 4, false],
  [301, 1, true],
  [200, 300, true],
  [10, 300, false],
])('decides by rows and cells whether a table of %i rows and %i columns is long', (count, columns, isLong) => {
  const row = Array.from({ length: columns }, () => cell('x'));
  expect(isLongTable({ type: 'table', header: row, rows: Array.from({ length: count }, () => row) })).toBe(isLong);
});

it('measures the columns of a growing table once', () => {
  const rows = Array.from({ length: 400 }, (_, index) => [cell(String(index))]);
  const measure = columnMeasure();
  const header = [cell('A')];
  const widths = measure({ type: 'table', header, rows: rows.slice(0, 350) });
  expect(measure({ type: 'table', header, rows: [...rows, [cell('x'.repeat(99))]] })).toBe(widths);
  expect(measure({ type: 'table', header: [cell('Another')], rows })).not.toEqual(widths);
});

it('gives columns of a long table widths by their texts, within limits', () => {
  const header = [cell('A'), cell('<b>City</b>'), cell('Note'), cell('漢字')];
  const rows = [[cell('1'), cell('Reykjavik &amp; more'), cell('x'.repeat(500)), cell('一二三四五六')]];
  expect(columnWidths({ type: 'table', header, rows })).toEqual([
    'calc(5ch + 2em)',
    'calc(16ch + 2em)',
    'calc(36ch + 2em)',
    'calc(12ch + 2em)',
  ]);
});

it('reads the text of a cell', () => {
  expect(cellText('a<br><code>&lt;b&gt;</code> &amp; &quot;c&quot;')).toBe('a <b> & "c"');
});

it('writes CSV, quoted where needed, without formulas of a spreadsheet', () => {
  const rows = [
    [cell('a'), cell('b, c')],
    [cell('&quot;d&quot;'), cell('=HYPERLINK(1)')],
    [cell('-5'), cell('-cmd')],
    [cell('+1.5%'), cell('@x')],
  ];
  expect(tableCsv(rows)).toBe('a,"b, c"\r\n"""d""",\'=HYPERLINK(1)\r\n-5,\'-cmd\r\n+1.5%,\'@x');
});

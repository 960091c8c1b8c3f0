import { describe, expect, it } from 'vitest';
import { cellText, orderRows, tableCsv } from './table-rows.ts';

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

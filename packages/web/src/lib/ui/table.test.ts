import { expect, test } from 'vitest';
import type { TableColumn } from './table.ts';
import { nextOrder, sortRows } from './table.ts';

type Row = { name: string; cost: number | null };
const columns: TableColumn<Row>[] = [
  { key: 'name', label: 'Name', sort: ({ name }) => name },
  { key: 'cost', label: 'Cost', align: 'end', sort: ({ cost }) => cost },
  { key: 'note', label: 'Note' },
];
const rows: Row[] = [
  { name: 'b10', cost: 2 },
  { name: 'B9', cost: null },
  { name: 'a', cost: 10 },
];
const sorted = (column: string, direction: 'ascending' | 'descending') =>
  sortRows(rows, columns, { column, direction }, 'en').map(({ name }) => name);

test('sorts texts as a reader counts and numbers by value', () => {
  expect(sorted('name', 'ascending')).toEqual(['a', 'B9', 'b10']);
  expect(sorted('cost', 'ascending')).toEqual(['b10', 'a', 'B9']);
});

test('keeps unknown values last in both directions', () => {
  expect(sorted('cost', 'descending')).toEqual(['a', 'b10', 'B9']);
});

test('leaves the rows as given without an order and for a column that cannot be sorted', () => {
  expect(sortRows(rows, columns, null, 'en')).toBe(rows);
  expect(sorted('note', 'ascending')).toEqual(['b10', 'B9', 'a']);
});

test('goes from ascending to descending to as given', () => {
  const first = nextOrder(null, 'name');
  const second = nextOrder(first, 'name');
  expect([first, second, nextOrder(second, 'name')]).toEqual([
    { column: 'name', direction: 'ascending' },
    { column: 'name', direction: 'descending' },
    null,
  ]);
  expect(nextOrder(second, 'cost')).toEqual({ column: 'cost', direction: 'ascending' });
});

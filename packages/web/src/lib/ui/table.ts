/** A column of a table. Its first one names the row. */
export type TableColumn<Row> = {
  key: string;
  label: string;
  /** Numbers are aligned at their end. */
  align?: 'end';
  /** Value to sort by; null: unknown, always last. Absent: the column cannot be sorted. */
  sort?: (row: Row) => string | number | null;
  /** The column takes no more room than its content. */
  tight?: true;
};

export type TableOrder<Column extends string | number> = { column: Column; direction: 'ascending' | 'descending' };

/** The next order when the button of a column is pressed: ascending, descending, as given. */
export function nextOrder<Column extends string | number>(
  order: TableOrder<Column> | null,
  column: Column,
): TableOrder<Column> | null {
  if (order?.column !== column) return { column, direction: 'ascending' };
  return order.direction === 'ascending' ? { column, direction: 'descending' } : null;
}

/** The rows in this order. Unknown values are last in both directions; equal rows stay as given. */
export function sortRows<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  order: TableOrder<string> | null,
  locale: string,
): readonly Row[] {
  const valueOf = columns.find(({ key }) => key === order?.column)?.sort;
  if (order === null || valueOf === undefined) return rows;
  const { compare } = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const sign = order.direction === 'ascending' ? 1 : -1;
  return rows.toSorted((a, b) => {
    const [one, other] = [valueOf(a), valueOf(b)];
    if (one === null || other === null) return Number(one === null) - Number(other === null);
    if (typeof one === 'number' && typeof other === 'number') return sign * (one - other);
    return sign * compare(String(one), String(other));
  });
}

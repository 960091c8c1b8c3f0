import { textOfInline } from '../entities.ts';
import type { TableOrder } from '../../ui/table.ts';
import type { MarkdownBlock, TableCell } from '../blocks.ts';

const MAX_ROWS_AT_ONCE = 300;
const MAX_CELLS_AT_ONCE = 3_000;
/** The widths of columns follow from these rows. */
const MEASURED_ROWS = 300;
const MIN_CHARACTERS = 4;
const MAX_CHARACTERS = 36;

type TableBlock = Extract<MarkdownBlock, { type: 'table' }>;

/** Whether a table is rendered and laid out in slices: what it costs follows from its cells as well as its rows. */
export function isLongTable({ header, rows }: TableBlock): boolean {
  return rows.length > MAX_ROWS_AT_ONCE || rows.length * header.length > MAX_CELLS_AT_ONCE;
}

/**
 * Widths in CSS of the columns of a long table, with the padding of cells and the button in the head. They are measured
 * once, and so do not change while the table grows.
 */
export function columnMeasure(): (table: TableBlock) => readonly string[] {
  let measured: readonly (TableCell | undefined)[] = [];
  let widths: readonly string[] = [];
  return (table) => {
    // The rows in between are the same if these are.
    const seen = [...table.header, ...(table.rows[0] ?? []), ...(table.rows[MEASURED_ROWS - 1] ?? [])];
    if (seen.length !== measured.length || seen.some((cell, index) => cell !== measured[index])) {
      measured = seen;
      widths = columnWidths(table);
    }
    return widths;
  };
}

export function columnWidths({ header, rows }: TableBlock): string[] {
  const texts = rows.slice(0, MEASURED_ROWS);
  return header.map((cell, column) => {
    const head = measureWidth(cellText(cell.html)) + 4;
    const widest = texts.map((row) => measureWidth(cellText(row[column]?.html ?? '')));
    const characters = Math.min(MAX_CHARACTERS, Math.max(MIN_CHARACTERS, head, ...widest));
    return `calc(${String(characters)}ch + 2em)`;
  });
}

/** In characters of a Latin font: Chinese, Japanese and Korean ones are twice as wide. */
function measureWidth(text: string): number {
  return (
    text.length + [...text.matchAll(/[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uff60]/g)].length
  );
}

/** Indices of the rows in this order. Empty cells are last in both directions; equal cells stay as written. */
export function orderRows(
  rows: readonly (readonly TableCell[])[],
  { column, direction }: TableOrder<number>,
  locale: string,
): number[] {
  const texts = rows.map((row) => cellText(row[column]?.html ?? ''));
  const numbers = texts.map(numberIn);
  const isNumeric = numbers.every((number, index) => number !== null || texts[index] === '');
  const { compare } = new Intl.Collator(locale, { numeric: true, sensitivity: 'base' });
  const sign = direction === 'ascending' ? 1 : -1;
  return rows
    .map((_, index) => index)
    .sort((a, b) => {
      const [one = '', other = ''] = [texts[a], texts[b]];
      if (one === '' || other === '') return Number(one === '') - Number(other === '');
      return sign * (isNumeric ? (numbers[a] ?? 0) - (numbers[b] ?? 0) : compare(one, other));
    });
}

/** A number with its unit: `$1,200.50`, `12 %`, `−3`, `4.5 kB`. */
const NUMBER =
  /^[^\p{L}\d.,+−-]{0,3}([+−-]?)[^\p{L}\d.,]{0,2}(\d[\d,\s'’]*(?:\.\d+)?|\.\d+)(?:[eE]([+-]?\d+))?\s*\S{0,6}$/u;

function numberIn(text: string): number | null {
  const [, sign, digits, exponent] = NUMBER.exec(text) ?? [];
  if (digits === undefined || /^\d{1,4}[-/]\d/.test(text)) return null;
  const value = Number(`${digits.replace(/[,\s'’]/g, '')}e${exponent ?? '0'}`);
  return sign === '-' || sign === '−' ? -value : value;
}

/** Text of inline HTML written by ../render.ts. */
export function cellText(html: string): string {
  return textOfInline(html.replaceAll('&nbsp;', ' ')).trim();
}

/** CSV (RFC 4180). What a spreadsheet would evaluate as a formula gets an apostrophe: the text is not trusted. */
export function tableCsv(rows: readonly (readonly TableCell[])[]): string {
  return rows.map((row) => row.map(({ html }) => csvCell(cellText(html))).join(',')).join('\r\n');
}

function csvCell(text: string): string {
  const isFormula = /^[=+@\t\r-]/.test(text) && !/^[+-]?[\d.,]+%?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

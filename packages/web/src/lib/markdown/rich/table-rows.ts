import type { TableOrder } from '../../ui/table.ts';
import type { TableCell } from '../blocks.ts';

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
  return html
    .replace(/<br>/g, ' ')
    .replace(/<[^>]*>/g, '')
    .replace(/&(lt|gt|quot|amp|nbsp|#39);/g, (_, name: string) => CHARACTERS[name] ?? '')
    .trim();
}

const CHARACTERS: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', amp: '&', nbsp: ' ', '#39': "'" };

/** CSV (RFC 4180). What a spreadsheet would evaluate as a formula gets an apostrophe: the text is not trusted. */
export function tableCsv(rows: readonly (readonly TableCell[])[]): string {
  return rows.map((row) => row.map(({ html }) => csvCell(cellText(html))).join(',')).join('\r\n');
}

function csvCell(text: string): string {
  const isFormula = /^[=+@\t\r-]/.test(text) && !/^[+-]?[\d.,]+%?$/.test(text);
  const safe = isFormula ? `'${text}` : text;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export type CsvTable = { rows: string[][]; /** Columns of the longest row. */ width: number };
/** `line`: where the quoted value begins that has no end. */
export type CsvProblem = { line: number };

/** Reads CSV (RFC 4180); the delimiter is the one the first line has most of: comma, semicolon or tab. */
export function readCsv(text: string): CsvTable | CsvProblem {
  const source = text.replace(/^\uFEFF/, '');
  const delimiter = detectDelimiter(source);
  const rows: string[][] = [];
  let row: string[] = [];
  let at = 0;
  while (at < source.length) {
    const cell = source[at] === '"' ? quotedAt(source, at, delimiter) : plainAt(source, at, delimiter);
    if (cell === null) return { line: lineAt(source, at) };
    row.push(cell.value);
    at = cell.end;
    if (source[at] === delimiter) {
      at += 1;
      if (at < source.length) continue;
      row.push('');
    }
    at += source.startsWith('\r\n', at) ? 2 : 1;
    rows.push(row);
    row = [];
  }
  const filled = rows.filter((cells) => cells.length > 1 || cells[0] !== '');
  return { rows: filled, width: filled.reduce((most, cells) => Math.max(most, cells.length), 0) };
}

type Cell = { value: string; end: number };

function plainAt(source: string, from: number, delimiter: string): Cell {
  let end = from;
  while (end < source.length && source[end] !== delimiter && source[end] !== '\n' && source[end] !== '\r') end += 1;
  return { value: source.slice(from, end), end };
}

/** What follows the closing quote up to the next delimiter belongs to the value: other programs write that. */
function quotedAt(source: string, from: number, delimiter: string): Cell | null {
  let value = '';
  let at = from + 1;
  for (;;) {
    const quote = source.indexOf('"', at);
    if (quote === -1) return null;
    value += source.slice(at, quote);
    at = quote + 1;
    if (source[at] !== '"') break;
    value += '"';
    at += 1;
  }
  const more = plainAt(source, at, delimiter);
  return { value: value + more.value, end: more.end };
}

function detectDelimiter(source: string): string {
  const [line = ''] = source.slice(0, 10_000).split('\n', 1);
  const count = (mark: string): number => line.split(mark).length;
  return [',', ';', '\t'].reduce((best, mark) => (count(mark) > count(best) ? mark : best));
}

function lineAt(source: string, at: number): number {
  return source.slice(0, at).split('\n').length;
}

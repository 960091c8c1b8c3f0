/** Parses the tables of docs/requirements.md. */

export type Row = { id: string; section: string; state: 'open' | 'closed' | 'n/a' };

/** `D` and `flows-demo` of the heading `## D: flows-demo`. */
type Section = { letter: string; title: string };

export type Table = { sections: Section[]; rows: Row[]; problems: string[] };

const COLUMNS = ['id', 'place', 'what it says', 'our name', 'state'];
const ROW_ID = /^([A-Z])\d+\.\d{2,}$/;

/** True for `D3.07`. */
function isRowId(text: string): boolean {
  return ROW_ID.test(text);
}

/** All valid rows, and one problem per invalid line. */
export function parseTable(markdown: string): Table {
  const table: Table = { sections: [], rows: [], problems: [] };
  const seen = new Set<string>();
  let section: Section | undefined;
  let expected: 'header' | 'separator' | 'row' = 'header';

  for (const [index, line] of markdown.split(/\r?\n/).entries()) {
    const where = `line ${index + 1}`;
    if (!line.startsWith('|')) {
      // Markdown renders such a line as a row, or silently ends the table.
      if (expected === 'row' && line.trim() !== '') {
        table.problems.push(`${where}: a row begins with "|", and an empty line ends the table`);
      }
      expected = 'header';
      const heading = parseHeading(line);
      if (heading !== undefined) {
        section = heading;
        table.sections.push(heading);
      }
    } else if (expected === 'header') {
      if (splitCells(line).join('|') !== COLUMNS.join('|')) {
        table.problems.push(`${where}: a table begins with the columns ${COLUMNS.join(', ')}`);
      }
      expected = 'separator';
    } else if (expected === 'separator') {
      if (!/^[|\s:-]+$/.test(line)) table.problems.push(`${where}: the line under the column names is missing`);
      expected = 'row';
    } else {
      const row = parseRow(line, section, where);
      if (typeof row === 'string') table.problems.push(row);
      else if (seen.has(row.id)) table.problems.push(`row ${row.id}: the id is used twice (${where})`);
      else table.rows.push(row);
      if (typeof row !== 'string') seen.add(row.id);
    }
  }
  if (table.rows.length === 0) table.problems.push('there is no row at all');
  return table;
}

function parseHeading(line: string): Section | undefined {
  const [, letter, title] = /^## ([A-Z]): (.+)$/.exec(line) ?? [];
  return letter === undefined || title === undefined ? undefined : { letter, title: title.trim() };
}

/** The row, or its problem. */
function parseRow(line: string, section: Section | undefined, where: string): Row | string {
  const cells = splitCells(line);
  const id = cells[0] ?? '';
  if (!isRowId(id)) return `${where}: "${id}" is not a row ID such as D3.07`;
  if (!line.trimEnd().endsWith('|')) return `row ${id}: the line does not end with "|" (${where})`;
  if (cells.length !== COLUMNS.length) {
    return `row ${id}: ${cells.length} columns instead of ${COLUMNS.length}; a pipe inside a column is written \\| (${where})`;
  }
  const empty = cells.findIndex((cell) => cell === '');
  if (empty >= 0) return `row ${id}: the column "${COLUMNS[empty]}" is empty (${where})`;
  if (section === undefined || !id.startsWith(section.letter)) {
    return `row ${id}: is in section ${section?.letter ?? '(none)'} (${where})`;
  }
  const state = parseState(cells[4] ?? '');
  if (state === undefined) return `row ${id}: "${cells[4]}" is not "open", "closed" or "n/a: reason" (${where})`;
  return { id, section: section.letter, state };
}

function parseState(cell: string): Row['state'] | undefined {
  if (cell === 'open' || cell === 'closed') return cell;
  return /^n\/a: +\S/.test(cell) ? 'n/a' : undefined;
}

/** The trimmed cells of `| a | b |`. */
function splitCells(line: string): string[] {
  const parts = line.trim().split(/(?<!\\)\|/);
  return parts.slice(1, -1).map((cell) => cell.trim().replaceAll('\\|', '|'));
}

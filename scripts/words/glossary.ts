import type { WordRule } from './rules.ts';
import { rule } from './rules.ts';

const TERM = 'Term';
const EXCLUDED = 'Do not write';

/**
 * The rules of the tables in docs/glossary.md: each entry of "Do not write" is replaced by the term of its row. Entries
 * in italics have another meaning that is allowed, so that only a reader can judge them.
 *
 * @throws Error if the document has no such table.
 */
export function readGlossary(markdown: string): WordRule[] {
  const rules: WordRule[] = [];
  let columns: readonly string[] = [];
  let tables = 0;
  for (const line of markdown.split('\n')) {
    const cells = cellsOf(line);
    if (cells.includes(EXCLUDED)) {
      columns = cells;
      tables += 1;
    } else if (cells.length === 0) columns = [];
    else if (columns.length > 0) {
      const term = cells[columns.indexOf(TERM)] ?? '';
      const phrases = (cells[columns.indexOf(EXCLUDED)] ?? '').split(',').map((phrase) => phrase.trim());
      for (const phrase of phrases) if (/^[\w' ]+$/.test(phrase)) rules.push(rule(phrase, term));
    }
  }
  if (tables === 0) throw new Error(`docs/glossary.md has no table with a column "${EXCLUDED}"`);
  return rules;
}

function cellsOf(line: string): string[] {
  if (!line.startsWith('|')) return [];
  return line
    .slice(1, line.lastIndexOf('|'))
    .split('|')
    .map((cell) => cell.trim());
}

/** Compares the requirements with the test results and with what was closed before. Pure. */
import type { Outcome, TestResults } from './report.ts';
import type { Row, Table, TestReference } from './table.ts';
import { isRowId } from './table.ts';

/** The list of closed ids as it stands in its file. */
type ClosedList = { comments: string[]; ids: string[]; problems: string[] };

type Count = { label: string; rows: number; closed: number; notApplicable: number; open: number };

/**
 * `newlyClosed`: all tests passed, but the row is not in the list yet. `notChecked`: nothing failed, but a test was
 * skipped.
 */
type Findings = { problems: string[]; newlyClosed: string[]; notChecked: string[] };

export function parseClosedList(text: string): ClosedList {
  const list: ClosedList = { comments: [], ids: [], problems: [] };
  for (const line of text.split(/\r?\n/)) {
    const entry = line.trim();
    if (entry.startsWith('#')) list.comments.push(entry);
    else if (isRowId(entry)) list.ids.push(entry);
    else if (entry !== '') list.problems.push(`"${entry}" in the list of closed rows is no row id such as D3.07`);
  }
  return list;
}

/** The file's text with more ids in it; none is ever taken out. */
export function extendClosedList(list: ClosedList, more: readonly string[]): string {
  const ids = [...new Set([...list.ids, ...more])].sort(compareIds);
  return [...list.comments, ...ids].map((line) => `${line}\n`).join('');
}

export function checkRequirements(table: Table, results: TestResults, closedBefore: readonly string[]): Findings {
  const findings: Findings = { problems: [...table.problems], newlyClosed: [], notChecked: [] };
  const before = new Set(closedBefore);
  for (const row of table.rows) {
    if (row.state.kind !== 'closed') {
      if (before.has(row.id)) findings.problems.push(`row ${row.id}: was closed and is now ${row.state.kind}`);
      continue;
    }
    const problems = row.state.tests.map((test) => problemWith(test, results)).filter((each) => each !== undefined);
    findings.problems.push(...problems.map((problem) => `row ${row.id}: ${problem}`));
    if (problems.length > 0) continue;
    if (row.state.tests.some((test) => outcomeOf(test, results) === 'skipped')) findings.notChecked.push(row.id);
    else if (!before.has(row.id)) findings.newlyClosed.push(row.id);
  }
  const present = new Set(table.rows.map((row) => row.id));
  for (const id of before) {
    if (!present.has(id)) findings.problems.push(`row ${id}: was closed and has no readable row any more`);
  }
  return findings;
}

/** Undefined where the test passed or was skipped. */
function problemWith(test: TestReference, results: TestResults): string | undefined {
  if (!results.has(test.file)) return `the report has no file ${test.file}`;
  const named = `the test "${test.name}" in ${test.file}`;
  const outcome = outcomeOf(test, results);
  if (outcome === undefined) return `${named} is not in the report`;
  return outcome === 'failed' ? `${named} failed` : undefined;
}

function outcomeOf(test: TestReference, results: TestResults): Outcome | undefined {
  return results.get(test.file)?.get(test.name);
}

/** One line for each section, in the document's order, and the total. */
export function countRows(table: Table): Count[] {
  const sections = table.sections.map(({ letter, title }) =>
    countOf(
      `${letter} ${title}`,
      table.rows.filter((row) => row.section === letter),
    ),
  );
  return [...sections, countOf('total', table.rows)];
}

function countOf(label: string, rows: readonly Row[]): Count {
  const having = (kind: Row['state']['kind']): number => rows.filter((row) => row.state.kind === kind).length;
  return { label, rows: rows.length, closed: having('closed'), notApplicable: having('n/a'), open: having('open') };
}

export function formatCounts(counts: readonly Count[]): string[] {
  const cells = [
    ['section', 'rows', 'closed', 'n/a', 'open'],
    ...counts.map((count) => [count.label, ...[count.rows, count.closed, count.notApplicable, count.open].map(String)]),
  ];
  const width = Math.max(...cells.map(([label]) => label?.length ?? 0));
  return cells.map(
    ([label = '', ...numbers]) => label.padEnd(width) + numbers.map((text) => text.padStart(8)).join(''),
  );
}

/** D2.10 behind D2.09, D10.01 behind D9.22. */
function compareIds(left: string, right: string): number {
  return left.localeCompare(right, 'en', { numeric: true });
}

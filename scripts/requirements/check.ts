/** Compares the requirements with their proofs. */
import type { Proof } from './proofs.ts';
import type { Row, Table } from './table.ts';

type Count = { label: string; rows: number; closed: number; notApplicable: number; open: number };

/** `notChecked`: closed rows whose proofs were all skipped. */
type Findings = { problems: string[]; notChecked: string[] };

/** Every closed row needs a proof and no failed proof; every proof must name a closed row. */
export function checkRequirements(table: Table, proofs: readonly Proof[]): Findings {
  const findings: Findings = { problems: [...table.problems], notChecked: [] };
  const proofsOf = groupByRow(proofs);
  for (const { id, state } of table.rows) {
    const ofRow = proofsOf.get(id) ?? [];
    if (state !== 'closed') {
      findings.problems.push(...ofRow.map(({ by }) => `row ${id}: is ${state}, but ${by} proves it: close the row`));
      continue;
    }
    const failed = ofRow.filter(({ outcome }) => outcome === 'failed');
    findings.problems.push(...failed.map(({ by }) => `row ${id}: ${by} failed`));
    if (ofRow.length === 0) findings.problems.push(`row ${id}: is closed, but nothing in the report proves it`);
    else if (ofRow.every(({ outcome }) => outcome === 'skipped')) findings.notChecked.push(id);
  }
  const known = new Set(table.rows.map(({ id }) => id));
  for (const [id, ofRow] of proofsOf) {
    if (!known.has(id))
      findings.problems.push(...ofRow.map(({ by }) => `row ${id}: ${by} names it, but it does not exist`));
  }
  return findings;
}

function groupByRow(proofs: readonly Proof[]): Map<string, Proof[]> {
  const groups = new Map<string, Proof[]>();
  for (const proof of proofs) {
    for (const id of proof.rows) groups.set(id, [...(groups.get(id) ?? []), proof]);
  }
  return groups;
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
  const having = (state: Row['state']): number => rows.filter((row) => row.state === state).length;
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

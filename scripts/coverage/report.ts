import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Universe } from './universe.ts';

type Count = { statements: number; covered: number };

export type Summary = { packages: Record<string, Count>; total: Count };

/** Statement coverage by package. */
export function summarize({ statements }: Universe, covered: Uint8Array): Summary {
  const packages: Record<string, Count> = {};
  const total: Count = { statements: 0, covered: 0 };
  for (const [index, { file }] of statements.entries()) {
    const count = (packages[packageOf(file)] ??= { statements: 0, covered: 0 });
    for (const one of [count, total]) {
      one.statements += 1;
      one.covered += covered[index] ?? 0;
    }
  }
  return { packages, total };
}

function packageOf(file: string): string {
  return file.split('/').slice(0, 2).join('/');
}

/** Uncovered statements by file: line, and the start of the line. */
export function uncovered(
  { statements }: Universe,
  covered: Uint8Array,
  sourceOf: (file: string) => string,
): Record<string, string[]> {
  const files: Record<string, string[]> = {};
  const texts = new Map<string, string>();
  for (const [index, { file, start, end, line }] of statements.entries()) {
    if (covered[index] === 1) continue;
    const text = texts.get(file) ?? sourceOf(file);
    texts.set(file, text);
    const shown = text.slice(start, end).split('\n')[0]?.slice(0, 80) ?? '';
    (files[file] ??= []).push(`${String(line)}: ${shown}`);
  }
  return files;
}

export function writeReport(folder: string, summary: Summary, missing: Record<string, string[]>): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'summary.json'), `${JSON.stringify(summary, null, 2)}\n`);
  writeFileSync(join(folder, 'uncovered.json'), `${JSON.stringify(missing, null, 2)}\n`);
}

export function readSummary(path: string): Summary {
  return JSON.parse(readFileSync(path, 'utf8')) as Summary;
}

/** A table: package, statements, covered, percent. */
export function tableOf({ packages, total }: Summary): string {
  const rows = [...Object.entries(packages), ['total', total] as const].map(([name, count]) => [
    name,
    String(count.statements),
    String(count.covered),
    percent(count).toFixed(2),
  ]);
  return inColumns([['package', 'statements', 'covered', 'percent'], ...rows]);
}

/** A table: package, percent before, percent now, difference in points. */
export function comparisonOf(before: Summary, now: Summary): string {
  const names = [...new Set([...Object.keys(before.packages), ...Object.keys(now.packages)])].sort();
  const pairs = names.map((name) => [name, before.packages[name], now.packages[name]] as const);
  const rows = [...pairs, ['total', before.total, now.total] as const].map(([name, old, current]) => {
    const both = old !== undefined && current !== undefined;
    const difference = both ? percent(current) - percent(old) : null;
    return [name, shown(old), shown(current), difference === null ? '' : signed(difference)];
  });
  return inColumns([['package', 'before', 'now', 'points'], ...rows]);
}

function percent({ statements, covered }: Count): number {
  return statements === 0 ? 100 : (100 * covered) / statements;
}

function shown(count: Count | undefined): string {
  return count === undefined ? '' : percent(count).toFixed(2);
}

function signed(points: number): string {
  return `${points > 0 ? '+' : ''}${points.toFixed(2)}`;
}

/** Aligns the first column left (text) and the others right (numbers). */
function inColumns(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const padded = rows.map((row) =>
    row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0))),
  );
  return padded.map((row) => row.join('  ').trimEnd()).join('\n');
}

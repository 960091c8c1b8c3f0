import type { Line } from '../loop.ts';

/** How much more processor time than the floor Toolyard may take. */
const AIMS: Record<string, number> = { exchange: 1.3, 'run-11': 1.5 };

const HEAD = ['scenario', 'contender', 'version', 'wall ms', 'x floor', 'cpu ms', 'x floor', 'quartiles', 'sent kB'];

/** The lines for people; times are medians of one run. */
export function table(lines: readonly Line[]): string {
  const rows = lines.map((line) =>
    'error' in line
      ? [line.scenario, line.contender, `failed: ${line.error}`]
      : [
          line.scenario,
          line.contender,
          line.version,
          line.wallMsMedian.toFixed(2),
          line.wallRatio?.toFixed(2) ?? '-',
          line.cpuMsMedian.toFixed(2),
          line.cpuRatio?.toFixed(2) ?? '-',
          line.cpuRatioQuartiles?.map((ratio) => ratio.toFixed(2)).join('-') ?? '-',
          line.requestKb.toFixed(1),
        ],
  );
  const all = [HEAD, ...rows];
  const widths = HEAD.map((_, column) =>
    Math.max(...all.map((row) => (row.length === HEAD.length ? (row[column]?.length ?? 0) : 0))),
  );
  return all
    .map((row) =>
      row
        .map((cell, column) => (column < 3 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
        .join('  '),
    )
    .join('\n');
}

/** One sentence an aim: kept or missed, with the figure. */
export function verdicts(lines: readonly Line[]): string {
  return lines
    .flatMap((line) => {
      const aim = AIMS[line.scenario];
      if (line.contender !== 'toolyard' || 'error' in line || line.cpuRatio === null || aim === undefined) return [];
      const verdict = line.cpuRatio <= aim ? 'kept' : 'missed';
      return [`${line.scenario}: at most ${aim} times the floor's CPU; it is ${line.cpuRatio.toFixed(2)}: ${verdict}.`];
    })
    .join('\n');
}

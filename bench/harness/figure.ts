import { median, quartiles } from './quantile.ts';

export type Figure = {
  measure: string;
  value: number;
  unit: string;
  /** First and third quartile over rounds or samples. */
  quartiles?: readonly [number, number];
  /** The target: maximum value. */
  atMost?: number;
  /** Other values of the same measurement. */
  of?: Readonly<Record<string, number>>;
};

type More = Pick<Figure, 'atMost' | 'of' | 'quartiles'>;

export function figure(measure: string, value: number, unit = '', more: More = {}): Figure {
  return { measure, value, unit, ...more };
}

/** The median of samples with their quartiles. */
export function sampled(measure: string, samples: readonly number[], unit = '', more: More = {}): Figure {
  return { measure, value: median(samples), unit, quartiles: quartiles(samples), ...more };
}

export type Row = Figure & { bench: string; part: string };

/** One line per figure, with the target and whether it is met. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(({ part, measure, value, unit, quartiles: spread, atMost, of = {} }) => [
    part,
    measure,
    `${shown(value)} ${unit}`.trim(),
    spread === undefined ? '' : spread.map(shown).join(' to '),
    atMost === undefined ? '' : `${value <= atMost ? 'kept' : 'MISSED'} (at most ${shown(atMost)})`,
    Object.entries(of)
      .map(([name, each]) => `${name} ${shown(each)}`)
      .join(', '),
  ]);
  const all = [['part', 'measure', 'value', 'quartiles', 'goal', 'details'], ...cells];
  const widths = all[0]?.map((_head, column) => Math.max(...all.map((row) => row[column]?.length ?? 0))) ?? [];
  const line = (row: string[]): string => row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ');
  return all.map((row) => line(row).trimEnd()).join('\n');
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}

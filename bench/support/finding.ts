/** One figure and what is to be known of it. */
export type Finding = {
  /** Of which part of the bench. */
  part: string;
  /** What was measured, in words. */
  measure: string;
  value: number;
  unit: string;
  /** First and third quartile over rounds or samples: how much to believe the value, which lies between them. */
  quartiles?: readonly [number, number];
  /** What it may be at most. */
  atMost?: number;
  /** What it was made of, for the JSON. */
  of?: Readonly<Record<string, number>>;
};

/** For people: a line each, and whether the aim was kept. */
export function table(findings: readonly Finding[]): string {
  const rows = findings.map(({ part, measure, value, unit, quartiles, atMost }) => [
    part,
    measure,
    `${shown(value)} ${unit}`.trim(),
    quartiles === undefined ? '' : quartiles.map(shown).join(' to '),
    atMost === undefined ? '' : `${value <= atMost ? 'kept' : 'MISSED'} (at most ${shown(atMost)})`,
  ]);
  const all = [['part', 'measure', 'value', 'quartiles', 'aim'], ...rows];
  const widths = [0, 1, 2, 3, 4].map((column) => Math.max(...all.map((row) => row[column]?.length ?? 0)));
  return all
    .map((row) =>
      row
        .map((cell, at) => cell.padEnd(widths[at] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value.toFixed(Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2);
}

import { shownLine, withoutControls } from '../sanitize.ts';

/** Formats rows as aligned columns. The last column is not padded. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const texts = rows.map((row) => row.map((text) => shownLine(withoutControls(text), 300)));
  const widths: number[] = [];
  for (const row of texts) row.forEach((text, at) => (widths[at] = Math.max(widths[at] ?? 0, text.length)));
  return texts.map((row) =>
    row
      .map((text, at) => (at === row.length - 1 ? text : text.padEnd(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
}

/** A Markdown table as the formatter writes it. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [head, ...rows].map((row) =>
    row.map((cell) => cell.replaceAll('|', String.raw`\|`).replaceAll('\n', ' ')),
  );
  const widths = head.map((_cell, column) => Math.max(3, ...all.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |`;
  const [first = [], ...rest] = all;
  return [line(first), line(widths.map((width) => '-'.repeat(width))), ...rest.map(line)].join('\n');
}

export function code(text: string): string {
  return text === '' ? '' : `\`${text}\``;
}

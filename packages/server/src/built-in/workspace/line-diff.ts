const CONTEXT = 3;
const MAX_LENGTH = 20_000;

/** The changed lines between two texts with a little context; all between the first and the last difference. */
export function lineDiff(before: string, after: string): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < old.length - start && end < now.length - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const lines = [
    ...old.slice(Math.max(0, start - CONTEXT), start).map((line) => `  ${line}`),
    ...old.slice(start, old.length - end).map((line) => `- ${line}`),
    ...now.slice(start, now.length - end).map((line) => `+ ${line}`),
    ...old.slice(old.length - end, old.length - end + CONTEXT).map((line) => `  ${line}`),
  ];
  const text = lines.join('\n');
  return text.length <= MAX_LENGTH ? text : `${text.slice(0, MAX_LENGTH)}\n  [cut: ${lines.length} lines]`;
}

function linesOf(text: string): string[] {
  if (text === '') return [];
  return (text.endsWith('\n') ? text.slice(0, -1) : text).split('\n');
}

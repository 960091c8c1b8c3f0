import type { Redirect } from './shell-script.ts';

/** Gives a here-document its body, which begins right there; tells where it ends. */
export function readHereDocument(document: Redirect, text: string, from: number): number {
  const delimiter = document.target.text;
  const lines: string[] = [];
  let at = from;
  while (at < text.length) {
    const to = endOfLine(text, at);
    const line = text.slice(at, to);
    at = to + 1;
    if ((document.operator === '<<-' ? line.replace(/^\t+/, '') : line) === delimiter) break;
    lines.push(line);
  }
  document.body = lines.join('\n');
  return at;
}

export function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end === -1 ? text.length : end;
}

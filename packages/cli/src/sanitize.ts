import { showHidden } from '@toolyard/protocol';

// Everything a terminal would act on instead of showing, and the marks that reorder text: but for tab and newline.

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of a model, tool or server as a terminal may show it: it cannot move the cursor, colour, or hide anything. */
export function sanitize(text: string): string {
  return text.replace(ACTIVE, '');
}

/** Text without what starts a command of a terminal: for a pipe, which may lead to one. It keeps the marks of scripts. */
export function withoutControls(text: string): string {
  return text.replace(CONTROLS, '');
}

/** JSON on one line. */
export function jsonLine(value: unknown): string {
  return withEscapedControls(JSON.stringify(value));
}

/** JSON on several lines, indented. */
export function jsonLines(value: unknown): string {
  return withEscapedControls(JSON.stringify(value, null, 2));
}

/** JSON escapes the controls of ASCII, but not those above it, which start commands of a terminal, too. */
function withEscapedControls(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A message of ours, which may name what a server or file is called: what hides in that is written out. */
export function shownMessage(text: string): string {
  return showHidden(withoutControls(text));
}

/** A name, or arguments, on one line: what hides in it is written out, so that what is read is what is sent. */
export function shownLine(text: string, length = 200): string {
  return plainLine(showHidden(text), length);
}

/** Text on one line, at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = sanitize(text).replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

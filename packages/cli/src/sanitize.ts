import { showHidden } from '@toolyard/protocol';

// Control characters except tab and newline; ACTIVE adds the bidirectional formatting characters.

const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Removes control and bidirectional formatting characters, so that untrusted text cannot control the terminal. */
export function sanitize(text: string): string {
  return text.replace(ACTIVE, '');
}

/** Removes control characters only: for output to a pipe, which may end in a terminal. Keeps bidirectional text intact. */
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

/** `JSON.stringify` leaves U+007F to U+009F unescaped, and terminals interpret C1 control characters. */
function withEscapedControls(json: string): string {
  return json.replace(/[\u007f-\u009f]/g, (control) => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A message of Toolyard that may contain untrusted names: makes hidden characters visible. */
export function shownMessage(text: string): string {
  return showHidden(withoutControls(text));
}

/** Untrusted text on one line, with hidden characters made visible. */
export function shownLine(text: string, length = 200): string {
  return plainLine(showHidden(text), length);
}

/** Text on one line, at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = sanitize(text).replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

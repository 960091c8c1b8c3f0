// Everything a terminal would act on instead of showing, and the marks that reorder text: but for tab and newline.

const ACTIVE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Text of a model, tool or server as a terminal may show it: it cannot move the cursor, colour, or hide anything. */
export function plain(text: string): string {
  return text.replace(ACTIVE, '');
}

/** The same on one line, at most `length` characters. */
export function plainLine(text: string, length = 200): string {
  const line = plain(text).replace(/\s+/g, ' ').trim();
  return line.length > length ? `${line.slice(0, length - 1)}…` : line;
}

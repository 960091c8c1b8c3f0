/** How many characters of a text are rendered at once. Longer text slows the page down. */
export type Bounds = { lines: number; characters: number };

export const PREVIEW_BOUNDS: Bounds = { lines: 14, characters: 1_500 };
/** For content that needs a decision. */
export const DECISION_BOUNDS: Bounds = { lines: 40, characters: 4_000 };
export const MAX_BOUNDS: Bounds = { lines: 3_000, characters: 100_000 };

/**
 * The beginning of a text within limits, in time independent of its length. `whole` is false if something is left out.
 */
export function boundText(text: string, { lines, characters }: Bounds): { text: string; whole: boolean } {
  let end = 0;
  for (let line = 0; line < lines; line += 1) {
    const newline = text.slice(end, characters + 1).indexOf('\n');
    if (newline < 0) return cut(text, characters);
    end += newline + 1;
  }
  if (end >= text.length) return { text, whole: true };
  return cut(text, Math.min(end - 1, characters));
}

/** The end of streaming text, in one line. */
export function lastLine(text: string, characters: number): string {
  const end = text.slice(-characters).toWellFormed().replaceAll(/\s+/g, ' ');
  return text.length > characters ? `…${end.replace(/^\ufffd/, '')}` : end;
}

function cut(text: string, characters: number): { text: string; whole: boolean } {
  if (text.length <= characters) return { text, whole: true };
  const isHalf = /[\ud800-\udbff]/.test(text.charAt(characters - 1));
  return { text: text.slice(0, isHalf ? characters - 1 : characters), whole: false };
}

/** A longer text of a paragraph, heading or item is parsed in pieces of about this length: it takes as long as the text to
 * look for the end of a span, at each mark that may begin one. */
export const MAX_INLINE = 8000;

/** Separates the HTML of pieces; in no other inline content. */
export const PIECE_END = '<wbr>';

/** A piece rather ends at a space or tag this close to the maximum than within a word. */
const MAX_WORD = 1000;

/** Divides inline Markdown. Where a piece ends does not depend on what follows {@link MAX_INLINE} characters. */
export function inlinePieces(source: string): string[] {
  const pieces: string[] = [];
  let start = 0;
  while (source.length - start > MAX_INLINE) {
    const end = pieceEnd(source, start);
    pieces.push(source.slice(start, end));
    start = end;
  }
  if (start < source.length) pieces.push(source.slice(start));
  return pieces;
}

/** Divides plain text, rather at the end of a line. */
export function textPieces(text: string): string[] {
  const pieces: string[] = [];
  for (let start = 0; start < text.length;) {
    const newline = text.lastIndexOf('\n', start + MAX_INLINE - 1) + 1;
    const isRest = text.length - start <= MAX_INLINE;
    const end = isRest ? text.length : newline > start ? newline : safeCut(text, start + MAX_INLINE);
    pieces.push(text.slice(start, end));
    start = end;
  }
  return pieces;
}

/** Whether HTML consists of several pieces. */
export function isInPieces(html: string): boolean {
  return html.includes(PIECE_END);
}

/** With more pieces, groups of them are laid out by themselves; a line begins with each. */
const MAX_PIECES = 20;
const PIECES_IN_GROUP = 10;

export function splitPieces(html: string): string[] {
  return html.split(PIECE_END);
}

/** The HTML of the groups, each of one or more pieces. */
export function pieceGroups(html: string): string[] {
  const pieces = splitPieces(html);
  if (pieces.length <= MAX_PIECES && html.length <= 2 * MAX_INLINE) return [html];
  const groups: string[][] = [];
  let length = MAX_INLINE;
  for (const piece of pieces) {
    if (length >= MAX_INLINE || groups.at(-1)?.length === PIECES_IN_GROUP) {
      groups.push([]);
      length = 0;
    }
    groups.at(-1)?.push(piece);
    length += piece.length;
  }
  return groups.map((group) => group.join(PIECE_END));
}

function pieceEnd(source: string, start: number): number {
  const limit = start + MAX_INLINE;
  const image = imageAround(source, start, limit);
  if (image !== null) return image.start > start ? image.start : image.end;
  const part = source.slice(limit - MAX_WORD, limit);
  const space = part.search(/[\s>][^\s>]*$/);
  return space < 0 ? safeCut(source, limit) : limit - MAX_WORD + space + 1;
}

/** An image that contains its data is as long as it is. */
function imageAround(source: string, from: number, at: number): { start: number; end: number } | null {
  const before = source.slice(from, at);
  const data = before.lastIndexOf('](data:image/');
  const start = data < 0 ? -1 : before.lastIndexOf('![', data);
  // Its end would be a parenthesis; no space is in it.
  if (start < 0 || /[\s)]/.test(before.slice(data))) return null;
  const rest = /[\s)]/g;
  rest.lastIndex = at;
  const end = rest.exec(source)?.index ?? source.length - 1;
  return { start: from + start, end: end + 1 };
}

/** Characters that belong to the one before them. */
const CONTINUES = /^[\p{M}\p{Emoji_Modifier}\u200d\udc00-\udfff]/u;
const MAX_CHARACTER = 32;

/** The position, or one shortly before it where no character is cut. */
export function safeCut(text: string, at: number): number {
  for (let cut = at; cut > at - MAX_CHARACTER; cut -= 1) {
    if (!CONTINUES.test(text.slice(cut, cut + 2)) && text.charAt(cut - 1) !== '\u200d') return cut;
  }
  return /[\udc00-\udfff]/.test(text.charAt(at)) ? at - 1 : at;
}

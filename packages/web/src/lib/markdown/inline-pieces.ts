/** A longer text of a paragraph, heading or item is parsed, rendered and laid out in pieces of about this length. */
export const MAX_INLINE = 8000;

/** Separates the HTML of pieces; in no other inline content. */
export const PIECE_END = '<wbr>';

/** A piece rather ends at a space this close to the maximum than within a word. */
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

/** Whether HTML consists of several pieces: `html.split(PIECE_END)`. */
export function isInPieces(html: string): boolean {
  return html.length > MAX_INLINE / 2 && html.includes(PIECE_END);
}

export function piecesOf(html: string): string[] {
  return html.split(PIECE_END);
}

function pieceEnd(source: string, start: number): number {
  const limit = start + MAX_INLINE;
  const image = imageAround(source, start, limit);
  if (image !== null) return image.start > start ? image.start : image.end;
  const part = source.slice(limit - MAX_WORD, limit);
  const space = part.search(/\s\S*$/);
  return space < 0 ? safeCut(source, limit) : limit - MAX_WORD + space + 1;
}

/** An image that contains its data is as long as it is. */
function imageAround(source: string, from: number, at: number): { start: number; end: number } | null {
  const data = source.lastIndexOf('](data:image/', at);
  const start = data < from ? -1 : source.lastIndexOf('![', data);
  const end = source.indexOf(')', data) + 1;
  const isWhole = start >= from && (end === 0 || end > at) && !/\s/.test(source.slice(data, at));
  return isWhole ? { start, end: end === 0 ? source.length : end } : null;
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

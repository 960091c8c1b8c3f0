/** Text as it is compared: without case, accents and differences in width or white space. */
export type FoldedText = {
  text: string;
  /** The offset in the source of each character of `text`, and its length at the end; null if the offsets are equal. */
  offsets: Uint32Array | null;
};

/** A match, in offsets of the source. */
export type TextMatch = { start: number; end: number };

const PLAIN = /^[\u0000\u0021-\u007e ]*$/;
const DOUBLE_SPACE = /  /;
const ACCENTS = /[\u0300-\u036f]/g;

export function foldText(source: string): FoldedText {
  if (PLAIN.test(source) && !DOUBLE_SPACE.test(source)) return { text: source.toLowerCase(), offsets: null };
  let text = '';
  const offsets: number[] = [];
  let at = 0;
  for (const character of source) {
    const folded = foldCharacter(character);
    if (folded !== ' ' || !text.endsWith(' ')) {
      text += folded;
      for (let unit = 0; unit < folded.length; unit += 1) offsets.push(at);
    }
    at += character.length;
  }
  offsets.push(source.length);
  return { text, offsets: Uint32Array.from(offsets) };
}

/** The matches of a folded query, without overlaps. */
export function matchesIn({ text, offsets }: FoldedText, query: string): TextMatch[] {
  const matches: TextMatch[] = [];
  if (query === '') return matches;
  for (let at = text.indexOf(query); at >= 0; at = text.indexOf(query, at + query.length)) {
    const end = at + query.length;
    matches.push({ start: offsets?.[at] ?? at, end: offsets?.[end] ?? end });
  }
  return matches;
}

/** A query as {@link matchesIn} expects it. */
export function foldQuery(query: string): string {
  return foldText(query).text.trim();
}

/**
 * Letters and digits only, without link targets: a text that contains the query also contains this of it, whatever
 * Markdown is between its words. Rules out most texts without parsing them.
 */
export function getLetters(text: string): string {
  return foldText(text.replace(/\]\([^()\s]*\)/g, '')).text.replace(/[^\p{L}\p{N}]/gu, '');
}

function foldCharacter(character: string): string {
  if (/\s/.test(character)) return ' ';
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return character.toLowerCase();
  // Decomposed and composed again: marks of kana and Hangul are part of their letters, accents of Latin letters are not.
  return character.normalize('NFKD').replace(ACCENTS, '').normalize('NFC').toLowerCase();
}

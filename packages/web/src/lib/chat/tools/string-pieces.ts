export type StringPiece = { text: string; hidden: boolean } | 'line break';

/**
 * An escape, or a hidden character: controls, zero-width characters, bidirectional controls, and the tags and variation
 * selectors that can carry invisible text. Joiners within an emoji are kept.
 */
const SPECIAL =
  /(?:\\u[\dA-Fa-f]{4})+|\\.|(?!(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180d\u3164\ufe00-\ufe0e\uffa0\u{e0100}-\u{e01ef}]/gu;

/**
 * Splits a JSON string into the pieces that are shown: escaped letters (Python escapes Chinese) become letters, hidden
 * characters become visible escapes.
 *
 * @param source with its quotes
 */
export function* stringPieces(source: string): Generator<StringPiece> {
  let shown = '';
  let at = 0;
  for (const { 0: found, index } of source.matchAll(SPECIAL)) {
    shown += source.slice(at, index);
    at = index + found.length;
    if (found === '\\n') {
      yield { text: shown, hidden: false };
      yield 'line break';
      shown = '';
      continue;
    }
    const letters = found.startsWith('\\u') ? decoded(found) : null;
    if (letters !== null) {
      shown += letters;
    } else if (found.startsWith('\\') && !found.startsWith('\\u')) {
      shown += found;
    } else {
      yield { text: shown, hidden: false };
      yield { text: found.startsWith('\\') ? found : escaped(found), hidden: true };
      shown = '';
    }
  }
  shown += source.slice(at);
  if (shown !== '') yield { text: shown, hidden: false };
}

/** Null if the character would be invisible or end the string. */
function decoded(escapes: string): string | null {
  const codes = [...escapes.matchAll(/\\u(.{4})/g)].map(([, code]) => Number.parseInt(code ?? '', 16));
  const text = String.fromCharCode(...codes);
  if (!text.isWellFormed() || /["\\]/.test(text)) return null;
  for (const character of text) if (isSpecial(character)) return null;
  return text;
}

function isSpecial(character: string): boolean {
  return character.search(SPECIAL) >= 0;
}

function escaped(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`;
}

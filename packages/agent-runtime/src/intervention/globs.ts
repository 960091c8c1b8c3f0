import { foldCase } from '@toolyard/protocol';

/** `*` matches any characters, `?` one. Takes time in proportion to the product of both lengths at most. */
export function matchesGlob(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let from = 0;
  while (t < text.length) {
    const symbol = pattern.charAt(p);
    if (symbol === '*') {
      star = p++;
      from = t;
    } else if (p < pattern.length && (symbol === '?' || symbol === text.charAt(t))) {
      p++;
      t++;
    } else if (star !== -1) {
      p = star + 1;
      t = ++from;
    } else return false;
  }
  while (pattern.charAt(p) === '*') p++;
  return p === pattern.length;
}

/**
 * Finds a pattern as the whole text, or anywhere in it in every spelling: `*` matches any characters, `?` one; a pattern
 * that begins or ends with a letter or digit does so at the edge of a word. `isPlain`: see `isPlainText`. Takes time in proportion to
 * the length.
 */
export function globInside(written: string): (text: string, isPlain: boolean) => boolean {
  const pattern = foldCase(written);
  const pieces = pattern.split(/\*+/).map((piece) => escaped(piece).replaceAll('?', '[^]'));
  const last = pieces.length - 1;
  const patterns = pieces.map((piece, at) => {
    const from = at === 0 && /^[a-z\d]/i.test(piece) ? '(?<![a-z\\d])' : '';
    return new RegExp(`${from}${piece}${at === last && /[a-z\d]$/i.test(piece) ? '(?![a-z\\d])' : ''}`, 'g');
  });
  const literals = pattern.split(/[*?\s]+/);
  const literal = literals.reduce((longest, each) => (each.length > longest.length ? each : longest), '');
  const mayMatch = new RegExp(escaped(literal), 'i');
  return (text, isPlain) => {
    // Normalizing a text is the expensive part.
    if (isPlain && !mayMatch.test(text)) return false;
    if (matchesGlob(written, text)) return true;
    const folded = foldCase(text);
    let from = 0;
    return patterns.every((each) => {
      each.lastIndex = from;
      const isFound = each.test(folded);
      from = each.lastIndex;
      return isFound;
    });
  };
}

function escaped(text: string): string {
  return text.replace(/[\\^$.|+()[\]{}]/g, '\\$&');
}

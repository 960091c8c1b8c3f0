import { foldCase } from '@toolyard/protocol';

/** Compiles a pattern for use with many texts, see {@link matchesGlob}. */
export function globOf(pattern: string): (text: string) => boolean {
  if (pattern.includes('?')) return (text) => matchesGlob(pattern, text);
  const [first = '', ...rest] = pattern.split('*');
  const last = rest.pop();
  if (last === undefined) return (text) => text === pattern;
  return (text) => {
    const end = text.length - last.length;
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false;
    let from = first.length;
    for (const piece of rest) {
      const at = text.indexOf(piece, from);
      if (at === -1) return false;
      from = at + piece.length;
    }
    return from <= end;
  };
}

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
  const isWritten = globOf(written);
  return (text, isPlain) => {
    // Folding is the expensive part.
    if (isPlain && !mayMatch.test(text)) return false;
    if (isWritten(text)) return true;
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

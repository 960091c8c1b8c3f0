/**
 * Characters that a model reads and a user does not see: zero-width and bidirectional marks, tags, variation selectors,
 * invisible fillers, and control characters except tab and line break.
 */
const HIDDEN =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

/** Selectors and joiners inside one emoji hide nothing. */
const OF_EMOJI =
  /(?<=\p{Extended_Pictographic})\ufe0f|(?<=[\p{Extended_Pictographic}\ufe0f\u{1f3fb}-\u{1f3ff}])\u200d(?=\p{Extended_Pictographic})/gu;

/** Writes out every hidden character, as `⟨U+200B⟩`. */
export function showHidden(text: string): string {
  if (text.search(HIDDEN) === -1) return text;
  const harmless = new Set<number>();
  for (const { index } of text.matchAll(OF_EMOJI)) harmless.add(index);
  return text.replace(HIDDEN, (mark: string, at: number) => {
    if (harmless.has(at)) return mark;
    const code = mark.codePointAt(0) ?? 0;
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`;
  });
}

/** As {@link foldText}, and in lower case with single spaces. For rules that forbid. */
export function foldCase(text: string): string {
  return CHANGES.test(text) || text.includes('  ')
    ? foldText(text)
        .replace(/\s{2,}|[^\S ]/g, ' ')
        .toLowerCase()
    : text;
}

/**
 * A text as the most tolerant reader takes it: compatible characters unified (NFKC), hidden ones removed, percent
 * escapes decoded as often as they are encoded.
 */
export function foldText(text: string): string {
  let folded = text;
  for (let pass = 0; pass < 5 && NEEDS_FOLDING.test(folded); pass++) {
    const before = folded;
    folded = folded
      .normalize('NFKC')
      .replace(HIDDEN, '')
      .replace(/(?:%[\da-f]{2})+/gi, decodeBytes);
    if (folded === before) break;
  }
  return folded;
}

/** True for a text of which {@link foldCase} changes only the case and the spaces. */
export function isPlainText(text: string): boolean {
  if (text.length < 10_000) return !NEEDS_FOLDING.test(text);
  // V8 scans for few characters, and encodes ASCII, much faster than it matches a negated class.
  const isAscii = new TextEncoder().encode(text).length === text.length;
  return isAscii && !text.includes('%') && !text.includes('\x7f') && !/[\0-\x08\v\f\x0e-\x1f]/.test(text);
}

/** Most texts are plain ASCII, in lower case. */
const CHANGES = /[^ -$&-@[-~]/;
const NEEDS_FOLDING = /[^\t\n\r -$&-~]/;

function decodeBytes(escapes: string): string {
  const bytes = escapes
    .slice(1)
    .split('%')
    .map((hex) => Number.parseInt(hex, 16));
  return new TextDecoder().decode(Uint8Array.from(bytes));
}

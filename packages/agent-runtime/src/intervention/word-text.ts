import { characterTable } from './character-table.ts';

/** What single characters mean within a word of a shell, and what becomes of the word at its end. */

/** Stands in a word for what is not known. */
export const UNKNOWN = '\0';

const MOST_EXPANSIONS = 64;

// Unquoted braces and commas, until they are expanded.
export const OPEN = '\uE000';
export const COMMA = '\uE001';
export const CLOSE = '\uE002';

export function isAssignment(text: string): boolean {
  return /^[A-Za-z_]\w*\+?=/.test(text);
}

/** Where characters mean something to a shell: at the start of a word, within it, between double quotes. */
export const AT_START = 1;
export const UNQUOTED = 2;
export const QUOTED = 4;
const MEANING = characterTable([
  ['#', AT_START],
  [' \t\r\n;()&|<>\'{,}"\\$`', AT_START | UNQUOTED],
  ['"\\$`', QUOTED],
]);

export function means(code: number, meaning: number): boolean {
  return code < 128 && ((MEANING[code] ?? 0) & meaning) !== 0;
}

export function closingQuote(text: string, from: number, quote = '"'): number {
  for (let at = from; at < text.length; at++) {
    const char = text.charAt(at);
    if (char === '\\') at++;
    else if (char === quote) return at;
  }
  return -1;
}

const ANSI: Record<string, string> = { n: '\n', t: '\t', r: '\r', a: '\x07', b: '\b', e: '\x1b', f: '\f', v: '\v' };

export function decodeAnsi(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|([0-7]{1,3})|([^]))/g,
    (_all, hex?: string, short?: string, long?: string, octal?: string, other?: string) => {
      const digits = hex ?? short ?? long;
      const code =
        digits !== undefined ? Number.parseInt(digits, 16) : octal !== undefined ? Number.parseInt(octal, 8) : -1;
      if (code >= 0) return code <= 0x10ffff ? String.fromCodePoint(code) : UNKNOWN;
      return ANSI[other ?? ''] ?? other ?? '';
    },
  );
}

/** `a{b,c}` is two words. What has too many of them comes in pieces, and counts as unknown. */
export function expandBraces(text: string): string[] {
  if (!text.includes(OPEN) && !text.includes(COMMA) && !text.includes(CLOSE)) return [text];
  const pieces = text.split(/[\uE000-\uE002]/);
  if (pieces.length > MOST_EXPANSIONS) return [UNKNOWN, ...pieces];
  const done: string[] = [];
  const open = [text];
  for (let word = open.pop(); word !== undefined; word = open.pop()) {
    const close = word.indexOf(CLOSE);
    const from = close === -1 ? -1 : word.lastIndexOf(OPEN, close);
    const parts = from === -1 ? [] : word.slice(from + 1, close).split(COMMA);
    if (parts.length < 2) {
      if (from === -1) done.push(word.replaceAll(OPEN, '{').replaceAll(COMMA, ',').replaceAll(CLOSE, '}'));
      else open.push(`${word.slice(0, from)}{${word.slice(from + 1, close)}}${word.slice(close + 1)}`);
      continue;
    }
    const head = word.slice(0, from);
    const tail = word.slice(close + 1);
    for (const part of parts) open.push(head + part + tail);
    if (open.length + done.length > MOST_EXPANSIONS) return [UNKNOWN, ...pieces];
  }
  return done.reverse();
}

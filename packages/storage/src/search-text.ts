/**
 * Words as the full-text index defines them. Tokenizers of the engines split at spaces, which Chinese, Japanese and
 * Korean text lacks; such text is indexed by bigrams.
 */

/** A word or a sequence of CJK characters, and its position in the text. */
export type Word = { cjk: boolean; folded: string; start: number; end: number };

/** A term of a query. */
export type Term =
  /** Characters anywhere within a CJK sequence. */
  | { kind: 'characters'; folded: string }
  | { kind: 'word'; folded: string }
  /** A word prefix. */
  | { kind: 'prefix'; folded: string };

/** Maximum number of terms and length of a query; the rest is ignored. */
const MAX_TERMS = 16;
const MAX_QUERY_LENGTH = 400;

const WORDS =
  /(?<cjk>[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]&&[\p{L}\p{N}]]+)|[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]]+/gv;
const PLAIN = /^[a-z0-9]*$/i;
const ACCENTS = /[\u0300-\u036f]/g;

/** The words of an NFC-normalized text, in order. */
export function* splitWords(text: string): Generator<Word> {
  for (const match of text.matchAll(WORDS)) {
    const [written] = match;
    const cjk = match.groups?.['cjk'] !== undefined;
    const folded = normalize(written, cjk);
    // A word that consists only of accents is not searchable.
    if (folded === '') continue;
    yield { cjk, folded, start: match.index, end: match.index + written.length };
  }
}

/**
 * The text given to the engine: words without case and accents, CJK sequences as overlapping bigrams. The last
 * character also is a token of its own, so that every character starts a token.
 */
export function searchText(text: string): string {
  let tokens = '';
  for (const { cjk, folded } of splitWords(text.normalize('NFC'))) {
    if (!cjk) {
      tokens += `${folded} `;
      continue;
    }
    let previous = '';
    for (const character of folded) {
      if (previous !== '') tokens += `${previous}${character} `;
      previous = character;
    }
    tokens += `${previous} `;
  }
  return tokens.trimEnd();
}

/** The terms of a query, all of which must match. The last word may be incomplete. */
export function toTerms(query: string): Term[] {
  const words = [...splitWords(query.slice(0, MAX_QUERY_LENGTH).normalize('NFC'))].slice(0, MAX_TERMS);
  return words.map(({ cjk, folded }, index): Term => {
    if (cjk) return { kind: 'characters', folded };
    return { kind: index === words.length - 1 ? 'prefix' : 'word', folded };
  });
}

/** The terms in FTS5 syntax. Everything is quoted, so that user input is never an operator. */
export function toMatch(terms: readonly Term[]): string {
  return terms.map(termToMatch).join(' ');
}

/** The terms with the last word as it is, which FTS5 finds without reading all words that begin like it. */
export function toWholeWords(terms: readonly Term[]): Term[] {
  return terms.map((term) => (term.kind === 'prefix' ? { ...term, kind: 'word' } : term));
}

function termToMatch({ kind, folded }: Term): string {
  if (kind !== 'characters') return kind === 'prefix' ? `${quote(folded)} *` : quote(folded);
  const pairs = bigrams(folded);
  return pairs.length === 0 ? `${quote(folded)} *` : quote(pairs.join(' '));
}

/** The overlapping bigrams of a sequence, none for a single character. */
export function bigrams(folded: string): string[] {
  const characters = [...folded];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function normalize(word: string, cjk: boolean): string {
  if (PLAIN.test(word)) return word.toLowerCase();
  // Marks of kana and jamo of Hangul are part of letters, not accents.
  return cjk ? word.normalize('NFKC') : word.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
}

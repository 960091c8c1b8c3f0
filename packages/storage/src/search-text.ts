/**
 * Words as the full text index knows them. The plain tokenizer of an engine parts words at spaces, which Chinese,
 * Japanese and Korean do not have; their texts are found by pairs of characters instead.
 */

/** A word or an unbroken stretch of CJK characters, and where in the text it stands. */
export type Word = { cjk: boolean; folded: string; start: number; end: number };

/** What a query looks for. */
export type Term =
  /** Characters somewhere within a stretch of CJK characters. */
  | { kind: 'characters'; folded: string }
  | { kind: 'word'; folded: string }
  /** The beginning of a word. */
  | { kind: 'beginning'; folded: string };

/** A query of more terms, or longer than this, is cut: nobody types so much. */
const MAX_TERMS = 16;
const MAX_QUERY_LENGTH = 400;

const WORDS =
  /(?<cjk>[[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]&&[\p{L}\p{N}]]+)|[[\p{L}\p{N}\p{M}]--[\p{scx=Han}\p{scx=Hiragana}\p{scx=Katakana}\p{scx=Hangul}]]+/gv;
const PLAIN = /^[a-z0-9]*$/i;
const ACCENTS = /[\u0300-\u036f]/g;

/** The words of a text that was normalised to NFC, in order. */
export function* wordsOf(text: string): Generator<Word> {
  for (const match of text.matchAll(WORDS)) {
    const [written] = match;
    const cjk = match.groups?.['cjk'] !== undefined;
    const folded = fold(written, cjk);
    // Nothing but accents, which nobody looks for.
    if (folded === '') continue;
    yield { cjk, folded, start: match.index, end: match.index + written.length };
  }
}

/**
 * What is handed to the engine in place of a text: words without case and accents, CJK stretches as overlapping pairs.
 * The last character stands by itself as well, so that every character begins something.
 */
export function searchText(text: string): string {
  let tokens = '';
  for (const { cjk, folded } of wordsOf(text.normalize('NFC'))) {
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

/** The terms of what a person typed; all of them are to be found. The last word may still be being typed. */
export function termsOf(query: string): Term[] {
  const words = [...wordsOf(query.slice(0, MAX_QUERY_LENGTH).normalize('NFC'))].slice(0, MAX_TERMS);
  return words.map(({ cjk, folded }, index): Term => {
    if (cjk) return { kind: 'characters', folded };
    return { kind: index === words.length - 1 ? 'beginning' : 'word', folded };
  });
}

/** The terms in the language of FTS5. Everything stands in quotes: nothing a person types is an operator. */
export function toMatch(terms: readonly Term[]): string {
  return terms.map(termToMatch).join(' ');
}

function termToMatch({ kind, folded }: Term): string {
  if (kind !== 'characters') return kind === 'beginning' ? `${quote(folded)} *` : quote(folded);
  const pairs = bigrams(folded);
  return pairs.length === 0 ? `${quote(folded)} *` : quote(pairs.join(' '));
}

/** The overlapping pairs of a stretch of characters, none for a single one. */
export function bigrams(folded: string): string[] {
  const characters = [...folded];
  return characters.slice(1).map((character, index) => `${characters[index] ?? ''}${character}`);
}

function quote(text: string): string {
  return `"${text.replaceAll('"', '""')}"`;
}

function fold(word: string, cjk: boolean): string {
  if (PLAIN.test(word)) return word.toLowerCase();
  // Marks of kana and syllables of Hangul are letters, not accents.
  return cjk ? word.normalize('NFKC') : word.normalize('NFKD').replace(ACCENTS, '').toLowerCase();
}

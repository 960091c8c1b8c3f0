import type { Term, Word } from './search-text.ts';
import { splitWords } from './search-text.ts';

/** Markers around each match of a snippet. */
const MATCH_START = '\u0002';
const MATCH_END = '\u0003';

/** Characters before the first match, and in total; in UTF-16 units. */
const BEFORE = 40;
const WHOLE = 160;

type Range = { start: number; end: number };

/**
 * The text around the first match, with all matches in it marked. The start of the text if nothing matches.
 *
 * @param plain removes the markup of the text; what matches only there is shown with it
 */
export function createSnippet(text: string, terms: readonly Term[], plain?: (text: string) => string): string {
  const source = plain === undefined ? text : plain(text);
  // Control characters in the text become spaces, so that they cannot be mistaken for markers.
  const shown = source.normalize('NFC').replace(/\p{Cc}/gu, ' ');
  const matches = matchesIn(shown, terms);
  if (matches.length === 0 && plain !== undefined) return createSnippet(text, terms);
  const first = matches[0]?.start ?? 0;
  const start = first <= BEFORE ? 0 : wordBoundary(shown, first - BEFORE, first);
  const end = Math.min(shown.length, start + WHOLE);
  let snippet = start > 0 ? '…' : '';
  let from = start;
  for (const find of matches) {
    if (find.start >= end) break;
    snippet += shown.slice(from, find.start) + MATCH_START + shown.slice(find.start, find.end) + MATCH_END;
    from = find.end;
  }
  snippet += from < end ? shown.slice(from, end) : '';
  if (Math.max(from, end) < shown.length) snippet += '…';
  return snippet.toWellFormed().replace(/ {2,}/g, ' ').trim();
}

/** Matches in order, not nested, up to the end of the window after the first. */
function matchesIn(text: string, terms: readonly Term[]): Range[] {
  const matches: Range[] = [];
  for (const word of splitWords(text)) {
    if (matches[0] && word.start > matches[0].start + WHOLE) break;
    const found = terms.flatMap((term) => matchesInWord(word, term)).sort((a, b) => a.start - b.start || b.end - a.end);
    for (const find of found) {
      const last = matches.at(-1);
      if (!last || find.start >= last.end) matches.push(find);
      else last.end = Math.max(last.end, find.end);
    }
  }
  return matches;
}

function matchesInWord(word: Word, { kind, folded }: Term): Range[] {
  if (word.cjk) return kind === 'characters' ? matchesInCharacters(word, folded) : [];
  const hit = kind === 'prefix' ? word.folded.startsWith(folded) : kind === 'word' && word.folded === folded;
  return hit ? [{ start: word.start, end: word.end }] : [];
}

function matchesInCharacters({ folded, start, end }: Word, searched: string): Range[] {
  const matches: Range[] = [];
  for (let at = folded.indexOf(searched); at !== -1; at = folded.indexOf(searched, at + searched.length)) {
    // If normalization changed the length, characters cannot be mapped: the whole word is the match.
    if (folded.length !== end - start) return [{ start, end }];
    matches.push({ start: start + at, end: start + at + searched.length });
  }
  return matches;
}

/**
 * The position after the first space in the range, so that no word is split; otherwise the start of the range.
 */
function wordBoundary(text: string, from: number, to: number): number {
  const space = text.indexOf(' ', from);
  return space === -1 || space >= to ? from : space + 1;
}

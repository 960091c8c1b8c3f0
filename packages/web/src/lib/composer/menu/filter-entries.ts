import uFuzzy from '@leeoniya/ufuzzy';

/** Letters of all scripts, with up to one more between typed ones; the words may be in any order. */
const matcher = new uFuzzy({
  unicode: true,
  interSplit: "[^\\p{L}\\p{N}']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\p{N}|\\p{N}\\p{L}|\\p{Ll}\\p{Lu}',
  intraChars: '[\\p{L}\\p{N}_.:/-]',
  intraContr: "'\\p{L}{1,2}\\b",
  intraIns: 3,
});

/**
 * The entries that match what was typed, best first; all of them, in their order, if nothing was typed. Several words
 * have to be those of a name: what follows a sign may as well be a sentence, which must not open a menu.
 */
export function filterEntries<T extends { search: string; names: string }>(
  entries: readonly T[],
  query: string,
): readonly T[] {
  if (query.trim() === '') return entries;
  if (/\s/.test(query)) return named(entries, query);
  const haystack = entries.map(({ search }) => search);
  const [found, info, order] = matcher.search(haystack, query, 1);
  if (found === null) return substrings(entries, query);
  const places = order === null || info === null ? found : order.map((at) => info.idx[at] ?? -1);
  const matches = places.map((at) => entries[at]).filter((entry) => entry !== undefined);
  return matches.length === 0 ? substrings(entries, query) : matches;
}

/** The entries with a name that contains the words in their order, the last one perhaps incomplete. */
function named<T extends { names: string }>(entries: readonly T[], query: string): readonly T[] {
  const words = (text: string): string => text.toLowerCase().replaceAll(/\s+/g, ' ');
  return entries.filter(({ names }) => ` ${words(names)}`.includes(` ${words(query).trimStart()}`));
}

/** For scripts without spaces, where a word begins anywhere. */
function substrings<T extends { search: string }>(entries: readonly T[], query: string): readonly T[] {
  const lower = query.toLowerCase();
  return entries.filter(({ search }) => search.toLowerCase().includes(lower));
}

import type { IndexedTool } from '@toolyard/mcp-host';

/** Words of a tool, with their weight. */
type WordWeights = Map<string, number>;

type SearchIndex = {
  tools: readonly IndexedTool[];
  /** For each word, the positions of the tools with it and its weight there. */
  postings: ReadonlyMap<string, readonly (readonly [position: number, weight: number])[]>;
};

const WEIGHTS = { name: 4, title: 3, server: 2, description: 1, argument: 0.6 } as const;
/** Descriptions can be long; what a tool does is at their beginning. */
const MAX_DESCRIPTION_LENGTH = 600;
const MAX_QUERY_WORDS = 40;
/** A word counts less for one that only begins like it (`repo` for `repository`). */
const PREFIX_WEIGHT = 0.5;
const MIN_PREFIX_LENGTH = 4;

const indexes = new WeakMap<readonly IndexedTool[], SearchIndex>();

/** The tools that match the words of a query best, best first. The index of a list is built once. */
export function findTools(tools: readonly IndexedTool[], query: string, limit: number): IndexedTool[] {
  const { postings } = indexOf(tools);
  const scores = new Map<number, number>();
  for (const word of [...new Set(wordsOf(query))].slice(0, MAX_QUERY_WORDS)) {
    for (const [found, factor] of similarWords(postings, word)) {
      const list = postings.get(found) ?? [];
      const rarity = Math.log(1 + tools.length / list.length);
      for (const [position, weight] of list) {
        scores.set(position, (scores.get(position) ?? 0) + factor * rarity * weight);
      }
    }
  }
  const ranked = [...scores].sort(([one, a], [other, b]) => b - a || one - other);
  return ranked.slice(0, limit).flatMap(([position]) => tools[position] ?? []);
}

function indexOf(tools: readonly IndexedTool[]): SearchIndex {
  const known = indexes.get(tools);
  if (known) return known;
  const postings = new Map<string, [number, number][]>();
  for (const [position, tool] of tools.entries()) {
    for (const [word, weight] of weightsOf(tool)) {
      const list = postings.get(word);
      if (list) list.push([position, weight]);
      else postings.set(word, [[position, weight]]);
    }
  }
  const index = { tools, postings };
  indexes.set(tools, index);
  return index;
}

function weightsOf({ tool, title = '', description = '', inputSchema }: IndexedTool): WordWeights {
  const weights: WordWeights = new Map();
  const add = (text: string, weight: number): void => {
    for (const word of wordsOf(text)) if ((weights.get(word) ?? 0) < weight) weights.set(word, weight);
  };
  add(tool.name, WEIGHTS.name);
  add(title, WEIGHTS.title);
  add(tool.serverId, WEIGHTS.server);
  add(description.slice(0, MAX_DESCRIPTION_LENGTH), WEIGHTS.description);
  const { properties } = inputSchema;
  if (typeof properties === 'object' && properties !== null) add(Object.keys(properties).join(' '), WEIGHTS.argument);
  return weights;
}

function* similarWords(
  postings: SearchIndex['postings'],
  word: string,
): Generator<readonly [word: string, factor: number]> {
  if (postings.has(word)) yield [word, 1];
  if (word.length < MIN_PREFIX_LENGTH) return;
  for (const other of postings.keys()) {
    if (other !== word && other.length >= MIN_PREFIX_LENGTH && (other.startsWith(word) || word.startsWith(other))) {
      yield [other, PREFIX_WEIGHT];
    }
  }
}

const WORD = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]+|[\p{L}\p{N}]+/gu;
const NO_SPACES = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and are as at be by for from get if in into is it its of on or that the this to use used using when with you your'.split(
    ' ',
  ),
);

/** Word lists of texts repeat often: the same words occur in most descriptions of a server. */
const stems = new Map<string, string>();
const MAX_STEMS = 20_000;

/** Lower-case words without endings; of scripts without spaces, every two characters. */
function wordsOf(text: string): string[] {
  // Unicode classes are ten times slower, and most texts need none.
  const isAscii = !/[^\0-\x7f]/.test(text);
  const apart = isAscii
    ? text.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    : text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  const words: string[] = [];
  for (const run of apart.match(isAscii ? /[A-Za-z0-9]+/g : WORD) ?? []) {
    if (!isAscii && NO_SPACES.test(run)) words.push(...pairsOf(run));
    else {
      const word = stemmed(run.toLowerCase());
      if (!STOP_WORDS.has(word)) words.push(word);
    }
  }
  return words;
}

function stemmed(word: string): string {
  let stem = stems.get(word);
  if (stem === undefined) {
    stem = stemOf(word);
    if (stems.size < MAX_STEMS) stems.set(word, stem);
  }
  return stem;
}

function pairsOf(run: string): string[] {
  if (run.length < 2) return [run];
  return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
}

/** Removes English endings, so that `files`, `filing` and `filed` are one word. */
function stemOf(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3).replace(/(.)\1$/, '$1');
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

/** Words of a text with their weight. */
export type WordWeights = Map<string, number>;

/** Finds texts by their words. */
export type WordIndex = {
  /** The positions of the texts that match the words of a query best, best first. */
  find(query: string, limit: number): number[];
};

const MAX_QUERY_WORDS = 40;
/** A word counts less for one that only begins like it (`repo` for `repository`). */
const PREFIX_WEIGHT = 0.5;
const MIN_PREFIX_LENGTH = 4;

/**
 * An index of texts in memory, each with its words: see {@link addWords}. Words that few texts have count more.
 *
 * @example
 * const texts = ['Creates an issue', 'Sends a mail'].map((text) => addWords(new Map(), text, 1));
 * createWordIndex(texts).find('send mail', 1); // [1]
 */
export function createWordIndex(texts: readonly WordWeights[]): WordIndex {
  /** For each word, the positions of the texts with it and its weight there. */
  const postings = new Map<string, [position: number, weight: number][]>();
  for (const [position, weights] of texts.entries()) {
    for (const [word, weight] of weights) {
      const list = postings.get(word);
      if (list) list.push([position, weight]);
      else postings.set(word, [[position, weight]]);
    }
  }
  return {
    find(query, limit) {
      const scores = new Map<number, number>();
      for (const word of [...new Set(splitWords(query))].slice(0, MAX_QUERY_WORDS)) {
        for (const [found, factor] of similarWords(postings, word)) {
          const list = postings.get(found) ?? [];
          const rarity = Math.log(1 + texts.length / list.length);
          for (const [position, weight] of list) {
            scores.set(position, (scores.get(position) ?? 0) + factor * rarity * weight);
          }
        }
      }
      const ranked = [...scores].sort(([one, a], [other, b]) => b - a || one - other);
      return ranked.slice(0, limit).map(([position]) => position);
    },
  };
}

/**
 * Adds the words of a text; a word that is there keeps its higher weight.
 *
 * @example
 * const words = addWords(addWords(new Map(), 'create issue', 3), 'Creates an issue in a repository.', 1);
 */
export function addWords(weights: WordWeights, text: string, weight: number): WordWeights {
  for (const word of splitWords(text)) if ((weights.get(word) ?? 0) < weight) weights.set(word, weight);
  return weights;
}

function* similarWords(
  postings: ReadonlyMap<string, unknown>,
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
function splitWords(text: string): string[] {
  // Unicode classes are ten times slower, and most texts need none.
  const isAscii = !/[^\0-\x7f]/.test(text);
  const apart = isAscii
    ? text.replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    : text.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2');
  const words: string[] = [];
  for (const run of apart.match(isAscii ? /[A-Za-z0-9]+/g : WORD) ?? []) {
    if (!isAscii && NO_SPACES.test(run)) words.push(...listPairs(run));
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
    stem = getStem(word);
    if (stems.size < MAX_STEMS) stems.set(word, stem);
  }
  return stem;
}

function listPairs(run: string): string[] {
  if (run.length < 2) return [run];
  return Array.from({ length: run.length - 1 }, (_, at) => run.slice(at, at + 2));
}

/** Removes English endings, so that `files`, `filing` and `filed` are one word. */
function getStem(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return word.slice(0, -3).replace(/(.)\1$/, '$1');
  if (word.length > 4 && word.endsWith('ies')) return `${word.slice(0, -3)}y`;
  if (word.length > 4 && word.endsWith('ed')) return word.slice(0, -2);
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return word.slice(0, -1);
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

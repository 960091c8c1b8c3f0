import { NO_CHARACTER } from './source.ts';
import type { Opening } from './opening.ts';

export type TrieNode = { next: Map<number, TrieNode>; openings: Opening[] };

/** Where an opening with a given first character may be; the most lenient of all such openings. */
const EVERYWHERE = 1;
const AT_WORD_START = 2;
const AT_LINE_START = 3;

/** The openings to search for, as a trie. */
export class MarkerTrie {
  readonly root: TrieNode = { next: new Map(), openings: [] };
  /** By slot of a character: 0 if no opening starts with it. */
  readonly #firsts = new Uint8Array(128);
  /**
   * By pair of characters: whether an opening starts with both. In ordinary text, the second character usually excludes
   * a match.
   */
  readonly #pairs = new Uint8Array(128 * 128);

  constructor(openings: readonly Opening[]) {
    for (const opening of openings) this.#add(opening);
  }

  #add(opening: Opening): void {
    let node = this.root;
    for (let at = 0; at < opening.marker.length; at += 1) {
      const code = opening.marker.charCodeAt(at);
      let next = node.next.get(code);
      if (next === undefined) {
        next = { next: new Map(), openings: [] };
        node.next.set(code, next);
      }
      node = next;
    }
    node.openings.push(opening);

    const first = getSlot(opening.marker.charCodeAt(0));
    const place =
      opening.place === 'line' || opening.place === 'indented'
        ? AT_LINE_START
        : opening.place === 'word'
          ? AT_WORD_START
          : EVERYWHERE;
    const known = this.#firsts[first] ?? 0;
    this.#firsts[first] = known === 0 ? place : Math.min(known, place);
    if (opening.marker.length === 1) this.#pairs.fill(1, first * 128, first * 128 + 128);
    else this.#pairs[getPair(first, opening.marker.charCodeAt(1))] = 1;
  }

  /** Position in `text`, from `at` on, where an opening may start; the length of the text if none. */
  nextCandidate(text: string, at: number, place: { lastCode: number; indent: number }): number {
    const from = at;
    for (; at < text.length; at += 1) {
      const code = text.charCodeAt(at);
      const kind = this.#firsts[getSlot(code)];
      if (kind === 0 || (at + 1 < text.length && this.#pairs[getPair(code, text.charCodeAt(at + 1))] === 0)) continue;
      if (kind === EVERYWHERE) return at;
      const last = at > from ? text.charCodeAt(at - 1) : place.lastCode;
      if (kind === AT_WORD_START && !isWordCode(last)) return at;
      if (kind === AT_LINE_START && (at === from ? place.indent !== NO_CHARACTER : last === 10 || last === 32))
        return at;
    }
    return at;
  }

  /** True if a marker starts at `at`. */
  standsAt(text: string, at: number): boolean {
    let node: TrieNode | undefined = this.root;
    for (; at < text.length; at += 1) {
      node = node.next.get(text.charCodeAt(at));
      if (node === undefined) return false;
      if (node.openings.length > 0) return true;
    }
    return false;
  }
}

/** Index of a character; all non-ASCII characters share one. */
function getSlot(code: number): number {
  return code < 128 ? code : 0;
}

function getPair(first: number, second: number): number {
  return getSlot(first) * 128 + getSlot(second);
}

/** True for ASCII letters and digits, which extend a word. */
export function isWordCode(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57);
}

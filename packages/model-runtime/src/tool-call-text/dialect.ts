import { followsBracket } from './core/arguments.ts';
import { MarkerTrie } from './core/marker-trie.ts';
import type { BlockReader, Opening, Section } from './core/opening.ts';
import { promptOpenedThinking, thinkingOpenings } from './thinking.ts';

/** The markers of a parser, with search structures that are built once and shared by all parsers. */
export class TextCallDialect {
  /** The section of the answer itself. */
  readonly text: Section;
  readonly promptOpenedThinking: Section = promptOpenedThinking;
  /** Reads the start of an answer if it is not ordinary text. */
  readonly first: BlockReader | undefined;
  readonly #calls: readonly Opening[];
  readonly #strong: MarkerTrie;
  readonly #tries = new Map<Section, MarkerTrie>();
  readonly #ends = new Map<Section, MarkerTrie>();

  constructor(calls: readonly Opening[], first?: BlockReader) {
    this.#calls = calls;
    this.first = first;
    this.text = { kind: 'text', openings: [] };
    this.#strong = new MarkerTrie(calls.filter((opening) => opening.weak !== true && opening.place !== 'after_call'));
  }

  /** The markers to search for in a section. */
  trie(section: Section): MarkerTrie {
    return cached(this.#tries, section, () => {
      const calls = this.#calls.filter((opening) => section.kind === 'text' || opening.inUnclosedThinking === true);
      const thinking = section.kind === 'text' ? thinkingOpenings : [];
      return new MarkerTrie([...section.openings, ...thinking, ...calls]);
    });
  }

  /** The markers that end a section. */
  getEnds(section: Section): MarkerTrie {
    return cached(this.#ends, section, () => new MarkerTrie(section.openings));
  }

  /** Position of the first marker that is not ordinary text and follows a closing bracket. */
  findStrong(text: string): number | null {
    const anywhere = { lastCode: 10, indent: 0 };
    for (let at = 0; at < text.length; at += 1) {
      at = this.#strong.nextCandidate(text, at, anywhere);
      if (this.#strong.standsAt(text, at) && followsBracket(text, at)) return at;
    }
    return null;
  }
}

function cached(tries: Map<Section, MarkerTrie>, section: Section, make: () => MarkerTrie): MarkerTrie {
  const known = tries.get(section);
  if (known !== undefined) return known;
  const trie = make();
  tries.set(section, trie);
  return trie;
}

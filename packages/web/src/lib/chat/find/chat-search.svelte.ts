import { DisplayedRows } from '../../transcript/displayed-rows.ts';
import type { TranscriptRow } from '../../transcript/rows.ts';
import type { RowList } from '../../transcript/transcript.ts';
import { foldQuery, foldText, getLetters, matchesIn } from './fold-text.ts';
import { listParts, shownText } from './row-parts.ts';
import type { RowPart } from './row-parts.ts';

/** A match: the `place`-th one in a part of a row. */
export type Hit = { key: string; part: RowPart; place: number };

/** Searching pauses after this time, so that typing and scrolling stay smooth; in milliseconds. */
const SLICE_MS = 8;

/** Finds a text in the rows of a chat, rendered or not. */
export class ChatSearch {
  hits: readonly Hit[] = $state.raw([]);
  /** The index of the selected hit; -1 without one. */
  current = $state(-1);
  /** Folded, as it is compared. */
  query = $state('');
  searching = $state(false);

  readonly #displayed = new DisplayedRows();
  readonly #pause: () => Promise<void>;
  readonly #now: () => number;
  #known = new WeakMap<TranscriptRow, readonly Hit[]>();
  #search = 0;

  constructor(pause: () => Promise<void>, now: () => number = () => performance.now()) {
    this.#pause = pause;
    this.#now = now;
  }

  /**
   * Searches, from the first hit in `from` or after it; the selected hit stays selected as long as it exists.
   *
   * @param from the key of the first visible row
   */
  async search(query: string, rows: RowList, from: string | null): Promise<void> {
    const search = (this.#search += 1);
    const folded = foldQuery(query);
    const isNew = folded !== this.query;
    if (isNew) this.#known = new WeakMap();
    this.query = folded;
    const displayed = this.#displayed.of(rows);
    const letters = getLetters(folded);
    const hits: Hit[] = [];
    /** The first hit at the first visible row or after it. */
    let start = -1;
    let isVisible = from === null;
    let pausedAt = this.#now();
    this.searching = folded !== '';
    for (let index = 0; folded !== '' && index < displayed.length; index += 1) {
      const row = displayed.at(index);
      if (row === undefined) continue;
      isVisible ||= row.key === from;
      const before = hits.length;
      hits.push(...this.#listHits(row, letters));
      if (start < 0 && isVisible && hits.length > before) start = before;
      if (this.#now() - pausedAt < SLICE_MS) continue;
      await this.#pause();
      if (search !== this.#search) return;
      pausedAt = this.#now();
    }
    this.searching = false;
    const selected = isNew ? undefined : this.hits[this.current];
    const again = selected === undefined ? -1 : hits.findIndex((hit) => isSame(hit, selected));
    this.hits = hits;
    this.current = again >= 0 ? again : start >= 0 ? start : hits.length - 1;
  }

  /** Selects the next or previous hit, around the ends. */
  move(step: 1 | -1): void {
    const { length } = this.hits;
    if (length > 0) this.current = (this.current + step + length) % length;
  }

  #listHits(row: TranscriptRow, letters: string): readonly Hit[] {
    const known = this.#known.get(row);
    if (known !== undefined) return known;
    const hits: Hit[] = [];
    for (const part of listParts(row)) {
      if (part.isMarkdown && letters !== '' && !getLetters(part.text).includes(letters)) continue;
      const { length } = matchesIn(foldText(shownText(part)), this.query);
      for (let place = 0; place < length; place += 1) hits.push({ key: row.key, part, place });
    }
    this.#known.set(row, hits);
    return hits;
  }
}

function isSame(a: Hit, b: Hit): boolean {
  return a.key === b.key && a.part.key === b.part.key && a.place === b.place;
}

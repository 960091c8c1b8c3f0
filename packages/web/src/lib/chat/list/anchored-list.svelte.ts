import type { TranscriptRow } from '../../transcript/rows.ts';
import { NO_ROWS } from '../../transcript/transcript.ts';
import type { RowList } from '../../transcript/transcript.ts';
import { RowHeights } from './row-heights.ts';

/** What scrolls. */
export type Viewport = {
  /** How far it is scrolled. */
  top: number;
  readonly height: number;
  readonly contentHeight: number;
  /** Where the first row begins in the content. */
  readonly listTop: number;
  /**
   * It keeps what is seen in its place by itself, as most browsers do everywhere but at the very top. They do it while
   * a scroll still glides on, which setting {@link top} would end.
   */
  readonly anchors: boolean;
  /** Where a row that is in the page begins in the content. */
  placeOf(key: string): number | null;
};

/** A row in the page; `gap` is the height of the rows left out before it. */
export type ShownRow = { readonly row: TranscriptRow; readonly gap: number };

/** Rows so far outside are shown too, so that scrolling meets no blank. */
const BEYOND = 700;
/** Nearer to the end than this counts as being there. */
const AT_END = 24;
/** Further away than this, a way back to the end is offered. */
const AWAY = 240;

/**
 * Which rows of a long conversation are in the page, and where it has to be scrolled so that nothing the person looks
 * at moves: at the end it follows what is written there; anywhere else the row at the upper edge stays in its place,
 * whatever comes before it or turns out higher than guessed.
 */
export class AnchoredList {
  shown: readonly ShownRow[] = $state.raw([]);
  /** The height of the rows left out behind the last one shown. */
  after = $state(0);
  /** The person is so far from the end that they may want a way back. */
  away = $state(false);

  readonly #heights = new RowHeights();
  readonly #kept = new Set<string>();
  #viewport: Viewport | null = null;
  #rows: RowList = NO_ROWS;
  #atEnd = true;
  /** The row at the upper edge, and how far below its beginning the edge is. */
  #anchor: { key: string; index: number; below: number } | null = null;
  #lastTop = 0;

  /** Takes what scrolls; gives it back with the returned function. */
  use(viewport: Viewport): () => void {
    this.#viewport = viewport;
    this.#lastTop = viewport.top;
    this.#show();
    return () => (this.#viewport = null);
  }

  /** The rows changed. To be followed by {@link settle} once the page shows {@link shown}. */
  follow(rows: RowList): void {
    const begun = this.#rows.length === 0;
    this.#rows = rows;
    this.#heights.follow(rows);
    if (begun) this.#atEnd = true;
    this.#show();
  }

  /** Rows turned out to be this high. */
  measure(sizes: Iterable<readonly [key: string, height: number]>): void {
    for (const [key, height] of sizes) this.#heights.measure(key, height);
    this.settle();
  }

  resize(width: number): void {
    this.#heights.resize(width, this.#rows);
    this.#show();
  }

  /** Scrolls to where what the person looks at stays where it was. */
  settle(): void {
    const viewport = this.#viewport;
    if (viewport === null) return;
    const end = viewport.contentHeight - viewport.height;
    if (this.#atEnd || !viewport.anchors || viewport.top <= 0) {
      const wanted = this.#atEnd ? end : Math.min(end, this.#place(viewport));
      if (Math.abs(viewport.top - wanted) >= 1) viewport.top = wanted;
    }
    this.#lastTop = viewport.top;
    this.#tellAway(viewport);
  }

  /** The person scrolled, or the page did. */
  scrolled(): void {
    const viewport = this.#viewport;
    if (viewport === null) return;
    const { top } = viewport;
    const left = viewport.contentHeight - viewport.height - top;
    if (left <= 2) this.#atEnd = true;
    else if (top < this.#lastTop) this.#atEnd = false;
    else if (top > this.#lastTop && left <= AT_END) this.#atEnd = true;
    this.#lastTop = top;
    this.#drop(viewport);
    this.#tellAway(viewport);
    this.#show();
  }

  /** Stays where it is, also at the end: something there opens under the person's hand. */
  stay(): void {
    if (this.#viewport === null) return;
    this.#drop(this.#viewport);
    this.#atEnd = false;
  }

  toEnd(): void {
    this.#atEnd = true;
    this.#show();
  }

  /** Leaves a row in the page wherever one scrolls: it has the focus, or something is being written in it. */
  keep(key: string): () => void {
    this.#kept.add(key);
    return () => this.#kept.delete(key);
  }

  /** Shows what belongs into the page by now. */
  refresh(): void {
    this.#show();
  }

  #drop(viewport: Viewport): void {
    const index = this.#heights.indexAt(viewport.top - viewport.listTop);
    const key = this.#heights.keyAt(index);
    if (key === undefined) {
      this.#anchor = null;
      return;
    }
    const place = viewport.placeOf(key) ?? viewport.listTop + this.#heights.offsetOf(index);
    this.#anchor = { key, index, below: viewport.top - place };
  }

  /** Where the upper edge belongs in the content: by what is in the page where that is, for guesses do not count. */
  #place(viewport: Viewport): number {
    const place = this.#anchor === null ? null : viewport.placeOf(this.#anchor.key);
    if (place === null || this.#anchor === null) return viewport.listTop + this.#top();
    return place + this.#anchor.below;
  }

  /** The same among the rows, shown or not. */
  #top(): number {
    const height = this.#viewport?.height ?? 900;
    const anchor = this.#anchor;
    if (this.#atEnd || anchor === null) return Math.max(0, this.#heights.total - height);
    const index = this.#heights.indexOf(anchor.key);
    if (index !== undefined) return this.#heights.offsetOf(index) + anchor.below;
    // It belongs to another branch: what stands in its place now takes over.
    return this.#heights.offsetOf(Math.min(anchor.index, Math.max(0, this.#heights.length - 1)));
  }

  #tellAway(viewport: Viewport): void {
    this.away = !this.#atEnd && viewport.contentHeight - viewport.height - viewport.top > AWAY;
  }

  #show(): void {
    const top = this.#top();
    const height = this.#viewport?.height ?? 900;
    const places = this.#placesBetween(top - BEYOND, top + height + BEYOND);
    const before = new Map(this.shown.map((item) => [item.row.key, item]));
    const shown: ShownRow[] = [];
    let end = 0;
    for (const place of places) {
      const row = this.#rows.at(place);
      if (row === undefined) continue;
      const gap = Math.max(0, this.#heights.offsetOf(place) - this.#heights.offsetOf(end));
      const item = before.get(row.key);
      shown.push(item?.row === row && item.gap === gap ? item : { row, gap });
      end = place + 1;
    }
    if (!sameItems(shown, this.shown)) this.shown = shown;
    this.after = Math.max(0, this.#heights.total - this.#heights.offsetOf(end));
  }

  #placesBetween(from: number, to: number): number[] {
    if (this.#heights.length === 0) return [];
    const places = new Set<number>();
    const last = this.#heights.indexAt(to);
    for (let place = this.#heights.indexAt(from); place <= last; place += 1) places.add(place);
    for (const key of this.#kept) {
      const place = this.#heights.indexOf(key);
      if (place !== undefined) places.add(place);
    }
    return [...places].sort((a, b) => a - b);
  }
}

function sameItems(a: readonly ShownRow[], b: readonly ShownRow[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

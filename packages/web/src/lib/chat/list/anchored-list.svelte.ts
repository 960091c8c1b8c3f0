import type { TranscriptRow } from '../../transcript/rows.ts';
import { NO_ROWS } from '../../transcript/transcript.ts';
import type { RowList } from '../../transcript/transcript.ts';
import { RowHeights } from './row-heights.ts';

/** The scroll container of the list. */
export type Viewport = {
  /** Scroll offset, in pixels. */
  top: number;
  readonly height: number;
  readonly contentHeight: number;
  /** Offset of the first row in the content, in pixels. */
  readonly listTop: number;
  /**
   * Whether the browser anchors the scroll position itself, as most do except at the very top. It does so even during a
   * smooth scroll, which setting {@link top} would end.
   */
  readonly anchors: boolean;
  /** Offset of a rendered row in the content, in pixels. */
  getOffset(key: string): number | null;
};

/** A rendered row; `gap` is the height of the rows left out before it. */
export type ShownRow = { readonly row: TranscriptRow; readonly gap: number };

/** Overscan: rows within this distance outside the viewport are rendered too, in pixels. */
const OVERSCAN = 700;
/** Closer to the end than this counts as at the end, in pixels. */
const AT_END = 24;
/** A revealed row begins this far below the upper edge, in pixels. */
const REVEALED_BELOW = 48;
/** Farther from the end than this, the page offers a button back, in pixels. */
const AWAY_FROM_END = 240;

/**
 * Virtual list of a conversation: decides which rows are rendered and adjusts the scroll position so that nothing
 * visible moves. At the end it follows the growing answer; elsewhere the row at the upper edge is the anchor, whatever
 * is inserted above it or turns out taller than estimated.
 */
export class AnchoredList {
  shown: readonly ShownRow[] = $state.raw([]);
  /** Height of the rows left out after the last rendered one, in pixels. */
  after = $state(0);
  /** Whether the user is far enough from the end to be offered a way back. */
  isAway = $state(false);

  readonly #heights = new RowHeights();
  readonly #pinned = new Set<string>();
  #viewport: Viewport | null = null;
  #rows: RowList = NO_ROWS;
  #atEnd = true;
  /** The anchor: the row at the upper edge, and the distance of the edge from the row's beginning. */
  #anchor: { key: string; index: number; below: number } | null = null;
  #lastTop = 0;
  #printed: number | null = null;
  /** The last movement was downwards. */
  #movedDown = false;
  /** The list moves to its anchor, instead of the anchor following the user. */
  #isRevealing = false;
  /** Whether rows were added to {@link shown} since the last {@link refresh}. */
  #hasNewRows = false;

  /** Attaches the scroll container; the returned function detaches it. */
  attach(viewport: Viewport): () => void {
    this.#viewport = viewport;
    this.#lastTop = viewport.top;
    this.#show();
    return () => (this.#viewport = null);
  }

  /** The rows changed. Call {@link settle} once the page has rendered {@link shown}. */
  follow(rows: RowList): void {
    const isFirst = this.#rows.length === 0;
    if (!isFirst && rows.at(0)?.key !== this.#rows.at(0)?.key) this.#prepareInsertion();
    this.#rows = rows;
    this.#heights.follow(rows);
    if (isFirst) this.#atEnd = true;
    this.#show();
  }

  /** Renders the last `count` rows without gaps, for printing; null: those around the scroll position again. */
  showLast(count: number | null): void {
    this.#printed = count;
    this.#show();
  }

  /** Takes measured heights of rows. */
  measure(sizes: Iterable<readonly [key: string, height: number]>): void {
    for (const [key, height] of sizes) this.#heights.measure(key, height);
    this.settle();
  }

  resize(width: number): void {
    this.#heights.resize(width, this.#rows);
    this.#show();
  }

  /** Scrolls so that the anchor stays in place. */
  settle(): void {
    const viewport = this.#viewport;
    if (viewport === null) return;
    const end = viewport.contentHeight - viewport.height;
    // Rows that turn out lower than estimated bring the end to where a movement stopped short of it, without a scroll event.
    if (this.#movedDown && end - viewport.top <= 2) this.#atEnd = true;
    if (this.#atEnd || this.#isRevealing || !viewport.anchors || viewport.top <= 0) {
      const target = this.#atEnd ? end : Math.min(end, this.#place(viewport));
      if (Math.abs(viewport.top - target) >= 1) viewport.top = target;
    }
    if (this.#anchor === null || viewport.getOffset(this.#anchor.key) !== null) this.#isRevealing = false;
    this.#lastTop = viewport.top;
    this.#updateAway(viewport);
  }

  /** Handles a scroll event, by the user or by the page. */
  scrolled(): void {
    const viewport = this.#viewport;
    if (viewport === null) return;
    const { top } = viewport;
    const remaining = viewport.contentHeight - viewport.height - top;
    if (top !== this.#lastTop) this.#movedDown = top > this.#lastTop;
    if (remaining <= 2) this.#atEnd = true;
    else if (top < this.#lastTop) this.#atEnd = false;
    else if (top > this.#lastTop && remaining <= AT_END) this.#atEnd = true;
    this.#lastTop = top;
    this.#drop(viewport);
    this.#updateAway(viewport);
    this.#show();
  }

  /** Keeps the position instead of following the end: something at the end expands. */
  holdPosition(): void {
    if (this.#viewport === null) return;
    this.#drop(this.#viewport);
    this.#atEnd = false;
    this.#movedDown = false;
  }

  toEnd(): void {
    this.#atEnd = true;
    this.#show();
  }

  /** Scrolls to a row; false without it. Call {@link settle} once the page has rendered {@link shown}. */
  reveal(key: string): boolean {
    const index = this.#heights.findIndex(key);
    if (index === undefined) return false;
    this.#atEnd = false;
    this.#movedDown = false;
    this.#anchor = { key, index, below: -REVEALED_BELOW };
    this.#isRevealing = true;
    this.#show();
    return true;
  }

  /** Keeps a row rendered wherever the user scrolls: it has the focus or an open editor. */
  pin(key: string): () => void {
    this.#pinned.add(key);
    return () => this.#pinned.delete(key);
  }

  /**
   * Updates the rendered rows. To be called once per frame until it returns false: it renders one more row of the
   * overscan, unless the frame has rendered visible rows. A long answer takes several milliseconds, and many at once would
   * delay the frame of a scroll.
   */
  refresh(): boolean {
    const overscan = this.#hasNewRows ? 0 : 1;
    this.#hasNewRows = false;
    return this.#show(overscan);
  }

  /**
   * Rows will be inserted above. What is visible now must stay in place, not what was visible at the last scroll event,
   * which browsers send with the next frame.
   */
  #prepareInsertion(): void {
    const viewport = this.#viewport;
    if (viewport === null || this.#atEnd || this.#isRevealing || viewport.top === this.#lastTop) return;
    this.#drop(viewport);
  }

  #drop(viewport: Viewport): void {
    const index = this.#heights.indexAt(viewport.top - viewport.listTop);
    const key = this.#heights.keyAt(index);
    if (key === undefined) {
      this.#anchor = null;
      return;
    }
    const place = viewport.getOffset(key) ?? viewport.listTop + this.#heights.getOffset(index);
    this.#anchor = { key, index, below: viewport.top - place };
  }

  /** Position of the upper edge in the content, by rendered rows if possible, since other heights are estimates. */
  #place(viewport: Viewport): number {
    const place = this.#anchor === null ? null : viewport.getOffset(this.#anchor.key);
    if (place === null || this.#anchor === null) return viewport.listTop + this.#top();
    return place + this.#anchor.below;
  }

  /** The same by index heights, whether rendered or not. */
  #top(): number {
    const height = this.#viewport?.height ?? 900;
    const anchor = this.#anchor;
    if (this.#atEnd || anchor === null) return Math.max(0, this.#heights.total - height);
    const index = this.#heights.findIndex(anchor.key);
    if (index !== undefined) return this.#heights.getOffset(index) + anchor.below;
    // The row belongs to another branch; the row now at its index becomes the anchor.
    return this.#heights.getOffset(Math.min(anchor.index, Math.max(0, this.#heights.length - 1)));
  }

  #updateAway(viewport: Viewport): void {
    this.isAway = !this.#atEnd && viewport.contentHeight - viewport.height - viewport.top > AWAY_FROM_END;
  }

  /** Renders the visible rows, and at most `overscan` new ones around them. Returns whether some are left out. */
  #show(overscan = 0): boolean {
    if (this.#printed !== null) return this.#showAll(this.#printed);
    const top = this.#top();
    const height = this.#viewport?.height ?? 900;
    const before = new Map(this.shown.map((item) => [item.row.key, item]));
    const { places, late } = this.#placesAround(top, top + height, before);
    for (const place of late.slice(0, overscan)) places.add(place);
    for (const key of this.#pinned) {
      const place = this.#heights.findIndex(key);
      if (place !== undefined) places.add(place);
    }
    const shown: ShownRow[] = [];
    let end = 0;
    for (const place of [...places].sort((a, b) => a - b)) {
      const row = this.#rows.at(place);
      if (row === undefined) continue;
      const gap = Math.max(0, this.#heights.getOffset(place) - this.#heights.getOffset(end));
      const item = before.get(row.key);
      if (item === undefined) this.#hasNewRows = true;
      shown.push(item?.row === row && item.gap === gap ? item : { row, gap });
      end = place + 1;
    }
    if (!sameItems(shown, this.shown)) this.shown = shown;
    this.after = Math.max(0, this.#heights.total - this.#heights.getOffset(end));
    return late.length > overscan;
  }

  #showAll(count: number): boolean {
    const from = Math.max(0, this.#rows.length - count);
    const rows = Array.from({ length: this.#rows.length - from }, (_, index) => this.#rows.at(from + index));
    this.shown = rows.flatMap((row) => (row === undefined ? [] : [{ row, gap: 0 }]));
    this.after = 0;
    return false;
  }

  /** The visible rows and the rendered ones around them; `late`: the others around them, from the nearest on. */
  #placesAround(
    top: number,
    bottom: number,
    shown: ReadonlyMap<string, unknown>,
  ): { places: Set<number>; late: number[] } {
    const places = new Set<number>();
    const late: number[] = [];
    if (this.#heights.length === 0) return { places, late };
    const away = (place: number): number =>
      Math.max(this.#heights.getOffset(place) - bottom, top - this.#heights.getOffset(place + 1));
    const last = this.#heights.indexAt(bottom + OVERSCAN);
    for (let place = this.#heights.indexAt(top - OVERSCAN); place <= last; place += 1) {
      if (away(place) > 0 && !shown.has(this.#heights.keyAt(place) ?? '')) late.push(place);
      else places.add(place);
    }
    return { places, late: late.sort((a, b) => away(a) - away(b)) };
  }
}

function sameItems(a: readonly ShownRow[], b: readonly ShownRow[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

import { fc } from '@toolyard/testing/property';
import { describe, expect, it } from 'vitest';
import type { TranscriptRow } from '../../transcript/rows.ts';
import type { RowList } from '../../transcript/transcript.ts';
import { AnchoredList } from './anchored-list.svelte.ts';
import type { Viewport } from './anchored-list.svelte.ts';

/** A page with the layout of a browser: rendered rows by their real height, the rest as gaps. */
class Page implements Viewport {
  readonly list = new AnchoredList();
  readonly heights = new Map<string, number>();
  readonly height = 600;
  readonly listTop = 48;
  readonly anchors = false;
  #top = 0;

  constructor() {
    this.list.attach(this);
  }

  get top(): number {
    return this.#top;
  }

  set top(top: number) {
    this.#top = Math.max(0, Math.min(top, this.contentHeight - this.height));
  }

  get contentHeight(): number {
    const rows = this.list.shown.reduce((sum, { row, gap }) => sum + gap + this.getHeight(row.key), 0);
    return 48 + rows + this.list.after;
  }

  getHeight(key: string): number {
    return this.heights.get(key) ?? 100;
  }

  show(rows: RowList): void {
    this.list.follow(rows);
    this.#frame();
  }

  scrollTo(top: number): void {
    this.top = top;
    this.list.scrolled();
    this.#frame();
  }

  reveal(key: string): void {
    this.list.reveal(key);
    this.#frame();
  }

  grow(key: string, height: number): void {
    this.heights.set(key, height);
    this.#frame();
  }

  /** Distance of a row from the upper edge; null if it is not rendered. */
  seenAt(key: string): number | null {
    const place = this.getOffset(key);
    return place === null ? null : place - this.#top;
  }

  getOffset(key: string): number | null {
    let place = this.listTop;
    for (const { row, gap } of this.list.shown) {
      place += gap;
      if (row.key === key) return place;
      place += this.getHeight(row.key);
    }
    return null;
  }

  get left(): number {
    return this.contentHeight - this.height - this.#top;
  }

  /** What a browser does before it paints: scroll, measure rendered rows, scroll again. */
  #frame(): void {
    for (let pass = 0; pass < 6; pass += 1) this.nextFrame();
    while (this.nextFrame());
    this.list.settle();
  }

  /** Returns whether rows are left for later frames. */
  nextFrame(): boolean {
    this.list.settle();
    this.list.measure(this.list.shown.map(({ row }) => [row.key, this.getHeight(row.key)] as const));
    return this.list.refresh();
  }
}

function message(id: string): TranscriptRow {
  const message = { id, parentId: null, createdAt: 0, role: 'user' as const, parts: [] };
  return { kind: 'user', key: id, message, alternatives: [], sending: false };
}

function rows(from: number, to: number, tail: readonly TranscriptRow[] = []): RowList {
  const settled = Array.from({ length: to - from }, (_, index) => message(`m${String(from + index)}`));
  const all = [...settled, ...tail];
  return { length: all.length, at: (index) => all[index], settled };
}

describe('virtual list of messages', () => {
  it('starts at the end and renders a handful of 10,000 rows', () => {
    const page = new Page();
    page.show(rows(0, 10_000));
    expect(page.left).toBe(0);
    expect(page.list.shown.at(-1)?.row.key).toBe('m9999');
    expect(page.list.shown.length).toBeLessThan(40);
  });

  it('renders the rows around every scroll position', () => {
    const page = new Page();
    page.show(rows(0, 2000));
    for (const top of [150_000, 90_000, 40_000, 3_000, 0, 60_000]) {
      page.scrollTo(top);
      const first = page.list.shown.find(({ row }) => (page.seenAt(row.key) ?? 0) + page.getHeight(row.key) > 0);
      const last = page.list.shown.at(-1);
      expect(page.seenAt(first?.row.key ?? '')).toBeLessThanOrEqual(48);
      expect((page.seenAt(last?.row.key ?? '') ?? 0) + page.getHeight(last?.row.key ?? '')).toBeGreaterThanOrEqual(600);
    }
  });

  it('stays at the end while the last message grows and when another is added', () => {
    const page = new Page();
    page.show(rows(0, 50));
    page.grow('m49', 900);
    expect(page.left).toBe(0);
    page.show(rows(0, 51));
    expect(page.left).toBe(0);
  });

  it('moves to any row, rendered or not, whatever the heights on the way turn out to be', () => {
    const page = new Page();
    for (let index = 0; index < 400; index += 3) page.heights.set(`m${String(index)}`, 350);
    page.show(rows(0, 500));
    for (const key of ['m5', 'm250', 'm480', 'm0', 'm499']) {
      page.reveal(key);
      expect(page.seenAt(key)).toBeGreaterThanOrEqual(key === 'm0' ? 40 : 48);
      expect(page.seenAt(key)).toBeLessThanOrEqual(600);
    }
    expect(page.list.reveal('unknown')).toBe(false);
  });

  it('keeps the scroll position of the user while the last message grows', () => {
    const page = new Page();
    page.show(rows(0, 50));
    page.scrollTo(page.top - 30);
    const { top } = page;
    page.grow('m49', 900);
    expect(page.top).toBe(top);
    expect(page.list.isAway).toBe(true);
    page.list.toEnd();
    page.grow('m49', 950);
    expect(page.left).toBe(0);
    expect(page.list.isAway).toBe(false);
  });

  it('follows the end that a movement stopped short of, once rows turn out lower than estimated', () => {
    const page = new Page();
    page.show(rows(0, 50));
    page.scrollTo(1000);
    page.scrollTo(page.contentHeight - page.height - 99);
    page.grow('m49', 1);
    expect(page.left).toBe(0);
    page.grow('m49', 401);
    expect(page.left).toBe(0);
  });

  it('renders visible rows at once, and the rows around them one per frame', () => {
    const page = new Page();
    page.show(rows(0, 2000));
    page.top = 30_000;
    page.list.scrolled();
    expect(page.list.shown.some(({ row }) => Math.abs(page.seenAt(row.key) ?? 100) < 100)).toBe(true);
    const added: number[] = [];
    for (let hasMore = true; hasMore && added.length < 100;) {
      const before = new Set(page.list.shown.map(({ row }) => row.key));
      hasMore = page.nextFrame();
      added.push(page.list.shown.filter(({ row }) => !before.has(row.key)).length);
    }
    expect(Math.max(...added)).toBe(1);
    expect(added.filter((count) => count === 1).length).toBeGreaterThan(5);
  });

  it('keeps the visible row in place when earlier messages are inserted', () => {
    const page = new Page();
    page.show(rows(100, 200));
    page.scrollTo(500);
    const before = page.seenAt('m105');
    expect(before).not.toBeNull();
    page.show(rows(40, 200));
    expect(page.seenAt('m105')).toBe(before);
  });

  it('keeps what is visible in place when earlier messages are inserted before a scroll was reported', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 1_000 }), fc.integer({ min: -400, max: 400 }), (top, unreported) => {
        const page = new Page();
        page.show(rows(100, 150));
        page.scrollTo(top);
        page.top += unreported;
        const visible = page.list.shown.filter(({ row }) => {
          const seen = page.seenAt(row.key) ?? -1;
          return seen >= 0 && seen < 300;
        });
        const before = visible.map(({ row }) => page.seenAt(row.key));
        page.show(rows(40, 150));
        expect(visible.map(({ row }) => page.seenAt(row.key))).toEqual(before);
      }),
    );
  });

  it('keeps the visible row in place when rows above turn out taller than estimated', () => {
    const page = new Page();
    for (let index = 0; index < 300; index += 1) page.heights.set(`m${String(index)}`, 40 + ((index * 37) % 300));
    page.show(rows(0, 300));
    for (let step = 0; step < 60; step += 1) {
      const seen = page.list.shown.find(({ row }) => (page.seenAt(row.key) ?? -1) >= 0)?.row.key ?? '';
      const before = page.seenAt(seen) ?? 0;
      const { top } = page;
      page.scrollTo(top - 150);
      if (top < 150) break;
      expect(page.seenAt(seen)).toBe(before + 150);
    }
  });

  it('keeps content in place that expands at the end', () => {
    const page = new Page();
    page.show(rows(0, 50));
    const before = page.seenAt('m48');
    page.list.holdPosition();
    page.grow('m48', 500);
    expect(page.seenAt('m48')).toBe(before);
  });

  it('stays near its position after a switch to another branch', () => {
    const page = new Page();
    page.show(rows(0, 60));
    page.scrollTo(2000);
    const before = page.seenAt('m21');
    const other = Array.from({ length: 30 }, (_, index) => message(`other${String(index)}`));
    const all = [...rows(0, 30, other).settled, ...other];
    page.show({ length: all.length, at: (index) => all[index], settled: all });
    expect(page.seenAt('m21')).toBe(before);
  });

  it('keeps a row rendered that is being edited, wherever the user scrolls', () => {
    const page = new Page();
    page.show(rows(0, 1000));
    const release = page.list.pin('m990');
    page.scrollTo(1000);
    expect(page.seenAt('m990')).not.toBeNull();
    release();
    page.scrollTo(900);
    expect(page.seenAt('m990')).toBeNull();
  });

  it('does not render unchanged rows again while an answer streams', () => {
    const page = new Page();
    const history = rows(0, 500);
    const grown = (text: string): RowList => {
      const last = {
        ...message('last'),
        message: { ...message('last'), parts: [{ type: 'text', text }] },
      } as unknown as TranscriptRow;
      return {
        length: 501,
        at: (index) => (index < 500 ? history.at(index) : last),
        settled: history.settled,
      };
    };
    page.show(grown('a'));
    const before = page.list.shown;
    page.show(grown('ab'));
    expect(page.list.shown.slice(0, -1)).toEqual(before.slice(0, -1));
    expect(page.list.shown.slice(0, -1).every((item, index) => item === before[index])).toBe(true);
    expect(page.list.shown.at(-1)).not.toBe(before.at(-1));
  });
});

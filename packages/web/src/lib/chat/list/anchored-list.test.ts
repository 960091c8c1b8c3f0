import { describe, expect, it } from 'vitest';
import type { TranscriptRow } from '../../transcript/rows.ts';
import type { RowList } from '../../transcript/transcript.ts';
import { AnchoredList } from './anchored-list.svelte.ts';
import type { Viewport } from './anchored-list.svelte.ts';

/** A page that lays rows out as a browser does: what is shown by its true height, the rest by the gaps. */
class Page implements Viewport {
  readonly list = new AnchoredList();
  readonly heights = new Map<string, number>();
  readonly height = 600;
  readonly listTop = 48;
  readonly anchors = false;
  #top = 0;

  constructor() {
    this.list.use(this);
  }

  get top(): number {
    return this.#top;
  }

  set top(top: number) {
    this.#top = Math.max(0, Math.min(top, this.contentHeight - this.height));
  }

  get contentHeight(): number {
    const rows = this.list.shown.reduce((sum, { row, gap }) => sum + gap + this.heightOf(row.key), 0);
    return 48 + rows + this.list.after;
  }

  heightOf(key: string): number {
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

  grow(key: string, height: number): void {
    this.heights.set(key, height);
    this.#frame();
  }

  /** How far below the upper edge a row begins; null where it is not in the page. */
  seenAt(key: string): number | null {
    const place = this.placeOf(key);
    return place === null ? null : place - this.#top;
  }

  placeOf(key: string): number | null {
    let place = this.listTop;
    for (const { row, gap } of this.list.shown) {
      place += gap;
      if (row.key === key) return place;
      place += this.heightOf(row.key);
    }
    return null;
  }

  get left(): number {
    return this.contentHeight - this.height - this.#top;
  }

  /** What a browser does before it paints: scroll, measure what is shown, scroll again. */
  #frame(): void {
    for (let pass = 0; pass < 6; pass += 1) {
      this.list.settle();
      this.list.measure(this.list.shown.map(({ row }) => [row.key, this.heightOf(row.key)] as const));
      this.list.refresh();
    }
    this.list.settle();
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

describe('a long list of messages', () => {
  it('begins at its end and shows a handful of ten thousand', () => {
    const page = new Page();
    page.show(rows(0, 10_000));
    expect(page.left).toBe(0);
    expect(page.list.shown.at(-1)?.row.key).toBe('m9999');
    expect(page.list.shown.length).toBeLessThan(40);
  });

  it('has at every place the rows that belong there', () => {
    const page = new Page();
    page.show(rows(0, 2000));
    for (const top of [150_000, 90_000, 40_000, 3_000, 0, 60_000]) {
      page.scrollTo(top);
      const first = page.list.shown.find(({ row }) => (page.seenAt(row.key) ?? 0) + page.heightOf(row.key) > 0);
      const last = page.list.shown.at(-1);
      expect(page.seenAt(first?.row.key ?? '')).toBeLessThanOrEqual(48);
      expect((page.seenAt(last?.row.key ?? '') ?? 0) + page.heightOf(last?.row.key ?? '')).toBeGreaterThanOrEqual(600);
    }
  });

  it('stays at the end while the last message grows, and when another comes', () => {
    const page = new Page();
    page.show(rows(0, 50));
    page.grow('m49', 900);
    expect(page.left).toBe(0);
    page.show(rows(0, 51));
    expect(page.left).toBe(0);
  });

  it('stays where a person scrolled to while the last message grows', () => {
    const page = new Page();
    page.show(rows(0, 50));
    page.scrollTo(page.top - 30);
    const { top } = page;
    page.grow('m49', 900);
    expect(page.top).toBe(top);
    expect(page.list.away).toBe(true);
    page.list.toEnd();
    page.grow('m49', 950);
    expect(page.left).toBe(0);
    expect(page.list.away).toBe(false);
  });

  it('does not move what one reads when earlier messages come before it', () => {
    const page = new Page();
    page.show(rows(100, 200));
    page.scrollTo(500);
    const before = page.seenAt('m105');
    expect(before).not.toBeNull();
    page.show(rows(40, 200));
    expect(page.seenAt('m105')).toBe(before);
  });

  it('does not move what one reads when rows above it turn out higher than guessed', () => {
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

  it('keeps what opens under the hand in its place, also at the end', () => {
    const page = new Page();
    page.show(rows(0, 50));
    const before = page.seenAt('m48');
    page.list.stay();
    page.grow('m48', 500);
    expect(page.seenAt('m48')).toBe(before);
  });

  it('stays near where it was when the branch below is another one', () => {
    const page = new Page();
    page.show(rows(0, 60));
    page.scrollTo(2000);
    const before = page.seenAt('m21');
    const other = Array.from({ length: 30 }, (_, index) => message(`other${String(index)}`));
    const all = [...rows(0, 30, other).settled, ...other];
    page.show({ length: all.length, at: (index) => all[index], settled: all });
    expect(page.seenAt('m21')).toBe(before);
  });

  it('leaves a row in the page that is being edited, wherever one scrolls', () => {
    const page = new Page();
    page.show(rows(0, 1000));
    const release = page.list.keep('m990');
    page.scrollTo(1000);
    expect(page.seenAt('m990')).not.toBeNull();
    release();
    page.scrollTo(900);
    expect(page.seenAt('m990')).toBeNull();
  });

  it('leaves what did not change untouched while an answer is written', () => {
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

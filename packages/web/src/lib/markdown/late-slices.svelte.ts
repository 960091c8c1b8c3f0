import { flushSync } from 'svelte';
import { printing } from './printing.svelte.ts';
import { isLoading } from './loads.ts';
import { measureDistance, RenderQueue } from './render-queue.ts';
import { listLate, nextSlices, type Slices } from './slices.ts';

export const renderQueue = new RenderQueue({
  next: (callback) => void requestAnimationFrame(callback),
  now: () => performance.now(),
  isLoading,
  flush: () => flushSync(),
});

/** How many new or changed slices are rendered at once: while a block grows, its last one and the next. */
const AT_ONCE = 2;
/** With places: as many fill the window. */
const AT_THE_END = 4;

/** Renders slices of something that may grow over several frames. To be created by a component. */
export class LateSlices<T> {
  /** What is rendered now, by slice. */
  readonly rendered: Slices<T> = $derived.by(() => this.#next());
  readonly isLate = $derived.by(() => listLate(this.rendered, this.#slices()).length > 0);
  /** The last element, after those of the slices. */
  end: Element | null = null;

  readonly #slices: () => Slices<T>;
  /** Whether each slice is one element, which takes its place before it is rendered. */
  readonly hasPlaces: boolean;
  #before: Slices<T> = [];
  #chosen: number | null = null;
  #frame = $state(0);

  constructor(slices: () => Slices<T>, hasPlaces: boolean) {
    this.#slices = slices;
    this.hasPlaces = hasPlaces;
    $effect(() => (this.isLate ? renderQueue.add(this) : undefined));
  }

  distance(): number {
    const parent = this.end?.parentElement;
    return parent == null ? Infinity : this.hasPlaces ? this.#nearest(parent).distance : measureDistance(parent);
  }

  render(): void {
    const parent = this.end?.parentElement;
    this.#chosen = (this.hasPlaces && parent != null ? this.#nearest(parent).index : this.#late[0]) ?? 0;
    this.#frame += 1;
  }

  get #late(): readonly number[] {
    return listLate(this.#before, this.#slices());
  }

  /** Places are in vertical order. */
  #nearest(parent: Element): { index: number; distance: number } {
    const late = this.#late;
    let nearest = { index: late[0] ?? 0, distance: Infinity };
    const places = [...parent.children];
    const from = places.findIndex((place) => place === this.end) - this.#slices().length;
    for (const index of late) {
      const place = places[from + index];
      const distance = place === undefined ? Infinity : measureDistance(place);
      if (distance > nearest.distance) break;
      nearest = { index, distance };
    }
    return nearest;
  }

  #next(): Slices<T> {
    void this.#frame;
    const slices = this.#slices();
    const wanted = this.#chosen === null ? this.#atOnce(slices) : [this.#chosen];
    this.#chosen = null;
    this.#before = printing.isOn ? slices : nextSlices(this.#before, slices, wanted);
    return this.#before;
  }

  /** With places both ends, one of which is in view wherever the list of messages is opened. */
  #atOnce(slices: Slices<T>): readonly number[] {
    const late = this.#late;
    if (!this.hasPlaces) return late.slice(0, AT_ONCE);
    return late.filter((index) => index === 0 || index >= slices.length - AT_THE_END);
  }
}

import { nextSlices, SLICES_AT_ONCE } from './slices.ts';

type Slices<T> = readonly (readonly T[])[];

/** Renders the slices of a long block over several frames. To be created by a component. */
export class LateSlices<T> {
  readonly #slices: () => Slices<T>;
  readonly #isLong: () => boolean;
  #frames = $state(0);
  #before: Slices<T> = [];

  /** What is rendered now. */
  readonly rendered = $derived.by(() => this.#next());
  /** Whether some are still to be rendered as they are. */
  readonly isLate = $derived.by(() => this.rendered.some((slice, index) => slice !== this.#slices()[index]));

  /** `isLong`: others are rendered at once. */
  constructor(slices: () => Slices<T>, isLong: () => boolean) {
    this.#slices = slices;
    this.#isLong = isLong;
    $effect(() => {
      void this.rendered;
      if (!this.isLate) return;
      const handle = requestAnimationFrame(() => (this.#frames += 1));
      return () => cancelAnimationFrame(handle);
    });
  }

  #next(): Slices<T> {
    void this.#frames;
    const slices = this.#slices();
    this.#before = nextSlices(this.#before, slices, this.#isLong() ? SLICES_AT_ONCE : slices.length);
    return this.#before;
  }
}

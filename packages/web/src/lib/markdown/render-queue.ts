/** Something that is not rendered completely. */
export type LateContent = {
  /** Rendering asks for positions, which lays out the page: done once per frame. */
  readonly hasPlaces: boolean;
  /** Pixels between what is missing and what the user sees. */
  distance(): number;
  /** Renders the nearest part of it. */
  render(): void;
};

/** What the queue uses of the browser; tests inject another one. */
export type Frames = {
  /** Calls back before the next frame. */
  next(callback: () => void): void;
  now(): number;
  /** Whether what content is rendered with is being loaded: all of it would be rendered again afterwards. */
  isLoading(): boolean;
  /** Writes what has changed to the document. */
  flush(): void;
};

/** A frame takes 16; the rest is for layout, painting and the user. */
const FRAME_MS = 8;

/**
 * Renders late content of the whole page in the order of its distance from what the user sees: in each frame as much as
 * takes some milliseconds, so that no text delays a frame by more than its most expensive slice.
 */
export class RenderQueue {
  readonly #frames: Frames;
  readonly #waiting = new Set<LateContent>();
  #isScheduled = false;

  constructor(frames: Frames) {
    this.#frames = frames;
  }

  /** Renders `late` until the returned function is called. */
  add(late: LateContent): () => void {
    this.#waiting.add(late);
    this.#schedule();
    return () => this.#waiting.delete(late);
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.size === 0) return;
    this.#isScheduled = true;
    this.#frames.next(() => {
      this.#isScheduled = false;
      if (!this.#frames.isLoading()) this.#render();
      this.#schedule();
    });
  }

  #render(): void {
    const until = this.#frames.now() + FRAME_MS;
    const nearest = findNearest([...this.#waiting]);
    if (nearest === undefined) return;
    do {
      nearest.render();
      this.#frames.flush();
    } while (!nearest.hasPlaces && this.#waiting.has(nearest) && this.#frames.now() < until);
  }
}

/** Asking for a distance lays out the page. */
function findNearest(contents: readonly LateContent[]): LateContent | undefined {
  if (contents.length < 2) return contents[0];
  const all = contents.map((content) => ({ content, distance: content.distance() }));
  return all.reduce((best, one) => (one.distance < best.distance ? one : best)).content;
}

/** Pixels between an element and the window. */
export function measureDistance(element: Element): number {
  // Inside of a part that is not laid out, asking would lay it out.
  const { top, bottom } = (element.closest('.md-part') ?? element).getBoundingClientRect();
  return Math.max(0, top - innerHeight, -bottom);
}

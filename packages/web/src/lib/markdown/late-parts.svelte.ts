/** What is rendered at once: both ends, one of which is in view wherever the list of messages is opened. */
const AT_THE_START = 1;
const AT_THE_END = 2;

/** The window that the parts are rendered in; tests inject one. */
export type PartView = {
  /** Calls back before the next frame; returns a function that cancels it. */
  next(callback: () => void): () => void;
  /** Whether what the parts are rendered with is being loaded: all of them would be rendered again afterwards. */
  isLoading(): boolean;
  /** The part out of these that is nearest to what the user sees. */
  nearest(parts: readonly number[]): number;
};

/**
 * Renders the parts of a long text one per frame, those in view first, so that opening an answer of any length delays no
 * frame. `late` are the parts that are still to be rendered.
 */
export class LateParts {
  late: ReadonlySet<number> = $state.raw(new Set());
  #cancel: (() => void) | null = null;

  constructor(count: number) {
    const all = Array.from({ length: count }, (_, part) => part);
    this.late = new Set(all.slice(AT_THE_START, Math.max(AT_THE_START, count - AT_THE_END)));
  }

  /** Begins to render; the returned function stops it. */
  start(view: PartView): () => void {
    const frame = (): void => {
      this.#cancel = null;
      if (!view.isLoading()) {
        const rest = new Set(this.late);
        rest.delete(view.nearest([...rest]));
        this.late = rest;
      }
      if (this.late.size > 0) this.#cancel = view.next(frame);
    };
    if (this.late.size > 0) this.#cancel = view.next(frame);
    return () => this.#cancel?.();
  }
}

/** For {@link PartView}: by the position of their elements, the children of `parent`. */
export function nearestPart(parent: Element, parts: readonly number[]): number {
  let nearest = parts[0] ?? 0;
  let distance = Infinity;
  for (const part of parts) {
    const box = parent.children[part]?.getBoundingClientRect();
    if (box === undefined) continue;
    const away = Math.max(0, box.top - innerHeight, -box.bottom);
    if (away < distance) [nearest, distance] = [part, away];
  }
  return nearest;
}

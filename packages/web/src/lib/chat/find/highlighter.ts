import './highlight.css';

/** Which ranges are highlighted, by the name of their highlight. */
export type HighlightedRanges = Readonly<Record<'found' | 'found-current', readonly Range[]>>;

/**
 * Highlights ranges by the CSS Custom Highlight API, which leaves the DOM as it is, and again whenever the page renders
 * anything in `root`. Browsers without it only scroll to the hit.
 */
export class Highlighter {
  readonly #ranges: () => HighlightedRanges;
  readonly #observer: MutationObserver;
  #frame = 0;

  constructor(root: Node, ranges: () => HighlightedRanges) {
    this.#ranges = ranges;
    this.#observer = new MutationObserver(() => this.soon());
    this.#observer.observe(root, { childList: true, characterData: true, subtree: true });
    this.soon();
  }

  /** Updates the highlights with the next frame. */
  soon(): void {
    cancelAnimationFrame(this.#frame);
    this.#frame = requestAnimationFrame(() => this.#paint());
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
    this.#observer.disconnect();
    if ('highlights' in CSS) for (const name of ['found', 'found-current']) CSS.highlights.delete(name);
  }

  #paint(): void {
    if (!('highlights' in CSS)) return;
    for (const [name, ranges] of Object.entries(this.#ranges())) CSS.highlights.set(name, new Highlight(...ranges));
    const current = CSS.highlights.get('found-current');
    if (current !== undefined) current.priority = 1;
  }
}

/** The animation frames of the page; tests inject frames they trigger themselves. */
export type Frames = {
  /** False in a hidden tab or with reduced motion: everything is shown at once then. */
  moves(): boolean;
  /** Calls back before the next frame, with the time in milliseconds; returns a function that cancels it. */
  next(callback: (at: number) => void): () => void;
};

/** Time constant in milliseconds: 37 % of the waiting text is left after it. */
const TIME_CONSTANT_MS = 80;
/** How long a grapheme at the end that may still grow is held back, in milliseconds. */
const HOLD_BACK_MS = 120;
/** A longer gap between two frames counts as this many milliseconds, so that text does not jump after a late frame. */
const MAX_FRAME_MS = 50;
/** Maximum length of a grapheme in UTF-16 units; a family of four with skin tones has 25. */
const MAX_GRAPHEME = 64;

/** The end of a grapheme that may continue: emoji, flags, joiners and marks. Only these are held back. */
const MAY_GROW = /[\u200d\ufe0f\p{Extended_Pictographic}\p{Regional_Indicator}\p{M}\p{Emoji_Modifier}]$/u;

let segmenter: Intl.Segmenter | undefined;

/** Created with the first animation, and shared: the first one of a process may take 50 ms. */
function graphemes(): Intl.Segmenter {
  return (segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' }));
}

/**
 * Shows streamed text by a few whole graphemes per frame, faster the more is waiting, and all of it at once when it
 * ends.
 */
export class SmoothText {
  readonly #frames: Frames;
  readonly #show: (text: string) => void;
  #text: string;
  #shown: number;
  #lastFrame: number | null = null;
  /** When the grapheme at the end was first held back. */
  #heldSince: number | null = null;
  #cancelFrame: (() => void) | null = null;

  /** `initial`: the text so far, which counts as shown. */
  constructor(frames: Frames, initial: string, show: (text: string) => void) {
    this.#frames = frames;
    this.#text = initial;
    this.#shown = initial.length;
    this.#show = show;
  }

  /** The text so far; `open`: it may still grow. */
  follow(text: string, open: boolean): void {
    if (text === this.#text && open) return;
    const continues = text.startsWith(this.#text);
    this.#text = text;
    this.#heldSince = null;
    // The first words appear without delay.
    if (!open || !continues || this.#shown === 0 || !this.#frames.moves()) {
      this.#showUpTo(text.length);
      this.stop();
    } else this.#await();
  }

  /** Stops showing text. */
  stop(): void {
    this.#cancelFrame?.();
    this.#cancelFrame = null;
    this.#lastFrame = null;
  }

  #await(): void {
    this.#cancelFrame ??= this.#frames.next((at) => {
      this.#cancelFrame = null;
      this.#frame(at);
    });
  }

  #frame(at: number): void {
    const elapsed = Math.min(MAX_FRAME_MS, at - (this.#lastFrame ?? at - 16));
    this.#lastFrame = at;
    const waiting = this.#text.length - this.#shown;
    const share = 1 - Math.exp(-elapsed / TIME_CONSTANT_MS);
    const end = this.#frames.moves()
      ? this.#graphemeEnd(this.#shown + Math.ceil(waiting * share), at)
      : this.#text.length;
    if (end > this.#shown) this.#showUpTo(end);
    if (this.#shown < this.#text.length) this.#await();
    else this.#lastFrame = null;
  }

  /** The end of the grapheme at `place`, or of the one before while that one may still grow. */
  #graphemeEnd(place: number, at: number): number {
    let end = this.#shown;
    for (const { segment } of graphemes().segment(this.#text.slice(this.#shown, place + MAX_GRAPHEME))) {
      const next = end + segment.length;
      if (next === this.#text.length && MAY_GROW.test(segment)) {
        this.#heldSince ??= at;
        if (at - this.#heldSince < HOLD_BACK_MS) return end;
      }
      end = next;
      if (end >= place) return end;
    }
    return end;
  }

  #showUpTo(end: number): void {
    this.#shown = end;
    this.#show(end === this.#text.length ? this.#text : this.#text.slice(0, end));
  }
}

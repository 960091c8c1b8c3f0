/** What the page can do with frames; a test holds them in its hand. */
export type Frames = {
  /** False where nobody sees movement, or nobody wants to: everything is shown at once then. */
  moves(): boolean;
  /** Calls back before the next frame is drawn, with the time in milliseconds; gives what calls it off. */
  next(callback: (at: number) => void): () => void;
};

/** Of what is not shown yet, so much is left after this time, in milliseconds: 37 %. A reader is never far behind. */
const BEHIND_MS = 80;
/** How long a letter that may still grow is kept back, in milliseconds. */
const KEPT_BACK_MS = 120;
/** A frame that comes later than this was not drawn on time: what it missed is not made up for in one go. */
const LONGEST_FRAME_MS = 50;
/** No letter is longer, in UTF-16 units; a family of four with skin tones has 25. */
const LONGEST_LETTER = 64;

/** The end of a letter that may go on: pictures, flags, joiners and marks. Only these are ever kept back. */
const MAY_GROW = /[\u200d\ufe0f\p{Extended_Pictographic}\p{Regional_Indicator}\p{M}\p{Emoji_Modifier}]$/u;

/**
 * Shows text that comes in pieces as if it were written: a few letters a frame, whole letters only, the faster the
 * more there is. Never a step behind for long, and at the end at once.
 */
export class SmoothText {
  readonly #frames: Frames;
  readonly #show: (text: string) => void;
  readonly #letters = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  #text: string;
  #shown: number;
  #lastFrame: number | null = null;
  /** When the letter at the end began to be kept back. */
  #keptSince: number | null = null;
  #callOff: (() => void) | null = null;

  /** `begun`: what is there already, which counts as shown. */
  constructor(frames: Frames, begun: string, show: (text: string) => void) {
    this.#frames = frames;
    this.#text = begun;
    this.#shown = begun.length;
    this.#show = show;
  }

  /** The text so far; `open`: more of it may come. */
  follow(text: string, open: boolean): void {
    if (text === this.#text && open) return;
    const goesOn = text.startsWith(this.#text);
    this.#text = text;
    this.#keptSince = null;
    // The first words are what somebody has waited for.
    if (!open || !goesOn || this.#shown === 0 || !this.#frames.moves()) {
      this.#showUpTo(text.length);
      this.stop();
    } else this.#await();
  }

  /** Nothing is shown from here on. */
  stop(): void {
    this.#callOff?.();
    this.#callOff = null;
    this.#lastFrame = null;
  }

  #await(): void {
    this.#callOff ??= this.#frames.next((at) => {
      this.#callOff = null;
      this.#frame(at);
    });
  }

  #frame(at: number): void {
    const passed = Math.min(LONGEST_FRAME_MS, at - (this.#lastFrame ?? at - 16));
    this.#lastFrame = at;
    const waiting = this.#text.length - this.#shown;
    const share = 1 - Math.exp(-passed / BEHIND_MS);
    const end = this.#frames.moves()
      ? this.#letterEnd(this.#shown + Math.ceil(waiting * share), at)
      : this.#text.length;
    if (end > this.#shown) this.#showUpTo(end);
    if (this.#shown < this.#text.length) this.#await();
    else this.#lastFrame = null;
  }

  /** Where the letter ends that `place` is in; the one before, while it may still grow. */
  #letterEnd(place: number, at: number): number {
    let end = this.#shown;
    for (const { segment } of this.#letters.segment(this.#text.slice(this.#shown, place + LONGEST_LETTER))) {
      const next = end + segment.length;
      if (next === this.#text.length && MAY_GROW.test(segment)) {
        this.#keptSince ??= at;
        if (at - this.#keptSince < KEPT_BACK_MS) return end;
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

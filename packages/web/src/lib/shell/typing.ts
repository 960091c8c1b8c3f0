/** Who has pressed a key may press another one: for so long nothing takes the focus by itself. */
const QUIET_MS = 1_000;

/** When the user last typed anything, anywhere in the page. */
export class Typing {
  readonly #now: () => number;
  #last = -Infinity;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until the focus may be moved; 0 where nobody types. */
  get quietInMs(): number {
    return Math.max(0, this.#last + QUIET_MS - this.#now());
  }

  /**
   * Does something as soon as nobody has typed for a second: at once, or later.
   * @returns takes the wish back
   */
  whenQuiet(act: () => void): () => void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const attempt = (): void => {
      const wait = this.quietInMs;
      if (wait > 0) timer = setTimeout(attempt, wait);
      else act();
    };
    attempt();
    return () => clearTimeout(timer);
  }

  pressed(): void {
    this.#last = this.#now();
  }

  /** Notes every key, and what a touch keyboard or an input method writes without one. */
  watch(target: EventTarget): void {
    for (const type of ['keydown', 'beforeinput']) target.addEventListener(type, () => this.pressed(), { capture: true });
  }
}

export const typing = new Typing(() => performance.now());

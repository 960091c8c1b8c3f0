/** Time without typing before anything may take the focus, in milliseconds. */
const QUIET_MS = 1_000;

/** When the user last typed anything, anywhere in the page. */
export class Typing {
  readonly #now: () => number;
  #last = -Infinity;
  /** Letters typed without a focused element while the composer is loading; null if none are collected. */
  #early: string | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until the focus may be moved; 0 if the user is not typing. */
  get quietInMs(): number {
    return Math.max(0, this.#last + QUIET_MS - this.#now());
  }

  /**
   * Calls back as soon as nothing has been typed for a second: at once, or later.
   * @returns cancels it
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

  /**
   * Until {@link takeEarly}, letters typed without a focused element are collected: the composer is still being loaded.
   */
  keepEarly(): void {
    this.#early = '';
  }

  takeEarly(): string {
    const early = this.#early ?? '';
    this.#early = null;
    return early;
  }

  #note(event: Event): void {
    this.pressed();
    if (this.#early !== null && event instanceof KeyboardEvent && isUnfocusedTyping(event)) this.#early += event.key;
  }

  pressed(): void {
    this.#last = this.#now();
  }

  /** Tracks every key, and input of touch keyboards and input methods, which send none. */
  watch(target: EventTarget): void {
    for (const type of ['keydown', 'beforeinput'])
      target.addEventListener(type, (event) => this.#note(event), { capture: true });
  }
}

/**
 * True for a letter typed while nothing has the focus, except "?" and the space bar, which have their own meaning
 * there.
 */
export function isUnfocusedTyping({ key, ctrlKey, metaKey, altKey, isComposing, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing || [...key].length !== 1 || key === '?') return false;
  return target instanceof HTMLBodyElement;
}

export const typing = new Typing(() => performance.now());

/** Who has pressed a key may press another one: for so long nothing takes the focus by itself. */
const QUIET_MS = 1_000;

/** When the user last typed anything, anywhere in the page. */
export class Typing {
  readonly #now: () => number;
  #last = -Infinity;
  /** What was typed into nothing while a field for it was on its way; null where none is. */
  #early: string | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Milliseconds until the focus may be moved; 0 if the user is not typing. */
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

  /** Until {@link takeEarly}, letters typed into nothing are kept: the composer is still being loaded. */
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

  /** Notes every key, and what a touch keyboard or an input method writes without one. */
  watch(target: EventTarget): void {
    for (const type of ['keydown', 'beforeinput'])
      target.addEventListener(type, (event) => this.#note(event), { capture: true });
  }
}

/** True for a letter typed while nothing has the focus; "?" and the space bar have a meaning of their own there. */
export function isUnfocusedTyping({ key, ctrlKey, metaKey, altKey, isComposing, target }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || isComposing || [...key].length !== 1 || key === '?') return false;
  return target instanceof HTMLBodyElement;
}

export const typing = new Typing(() => performance.now());

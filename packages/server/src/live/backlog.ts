import type { Clock } from '@toolyard/protocol';

/** Maximum number of unread events of a slow reader; beyond it, the reader reads from the store again. */
const MAX_BACKLOG = 5_000;

/**
 * The first event after a pause is read at once; later ones are collected for this many milliseconds. A frame of a
 * screen takes four times as long, and each read causes a socket write.
 */
const GATHER_MS = 4;

type BacklogOptions<T> = {
  clock: Pick<Clock, 'after' | 'monotonic'>;
  /** True for events that must not wait for others. */
  isUrgent: (item: T) => boolean;
  /** Ends the reader. */
  signal: AbortSignal;
  max?: number | undefined;
};

/** Unread events. Bounded: after an overrun it keeps nothing until {@link EventBacklog.restart}. */
export class EventBacklog<T> {
  readonly #clock: BacklogOptions<T>['clock'];
  readonly #isUrgent: BacklogOptions<T>['isUrgent'];
  readonly #signal: AbortSignal;
  readonly #max: number;
  #items: T[] = [];
  #urgent = false;
  #overrun = false;
  #lastTaken = -Infinity;
  #wake: (() => void) | null = null;
  #callOff: (() => void) | null = null;

  constructor({ clock, isUrgent, signal, max = MAX_BACKLOG }: BacklogOptions<T>) {
    this.#clock = clock;
    this.#isUrgent = isUrgent;
    this.#signal = signal;
    this.#max = max;
    signal.addEventListener('abort', () => this.#wake?.(), { once: true });
  }

  push(items: readonly T[]): void {
    if (this.#overrun) return;
    if (this.#items.length + items.length > this.#max) this.lose();
    else {
      for (const item of items) this.#items.push(item);
      this.#urgent ||= items.some(this.#isUrgent);
    }
    this.#wakeWhenDue();
  }

  /** Events were missed and have to be read from the store. */
  lose(): void {
    this.#overrun = true;
    this.#items = [];
    this.#wakeWhenDue();
  }

  /** True if events were lost: call {@link restart}, then read from the store. */
  get overrun(): boolean {
    return this.#overrun;
  }

  /** Starts collecting again. */
  restart(): void {
    this.#overrun = false;
  }

  /** All unread events, as soon as they are due; empty after an overrun or an abort. */
  async take(): Promise<readonly T[]> {
    if (!this.#signal.aborted && !this.#overrun && !this.#isDue()) await this.#due();
    const items = this.#items;
    this.#items = [];
    this.#urgent = false;
    this.#lastTaken = this.#clock.monotonic();
    return items;
  }

  #isDue(): boolean {
    return this.#items.length > 0 && (this.#urgent || this.#clock.monotonic() - this.#lastTaken >= GATHER_MS);
  }

  #due(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = (): void => {
        this.#callOff?.();
        this.#callOff = null;
        this.#wake = null;
        resolve();
      };
      if (this.#items.length > 0) this.#wakeWhenDue();
    });
  }

  #wakeWhenDue(): void {
    const wake = this.#wake;
    if (!wake) return;
    if (this.#overrun || this.#isDue()) {
      wake();
      return;
    }
    // The due time may have passed already.
    const remainingMs = Math.max(0, this.#lastTaken + GATHER_MS - this.#clock.monotonic());
    this.#callOff ??= this.#clock.after(remainingMs, wake);
  }
}

import type { Clock } from '@toolyard/protocol';

/** How much a slow reader may leave unread; beyond it he is sent back to what is stored. */
const MAX_BACKLOG = 5_000;

/**
 * What came first after a pause is read at once; what comes on its heels is gathered for so long, in milliseconds: a
 * frame of a screen takes four times that, and each reading is a write to a socket.
 */
const GATHER_MS = 4;

type BacklogOptions<T> = {
  clock: Pick<Clock, 'after' | 'monotonic'>;
  /** True for what is not to wait for others. */
  isUrgent: (item: T) => boolean;
  max?: number | undefined;
};

/** What has come and is not read yet. Bounded: once it has run over it keeps nothing until {@link EventBacklog.restart}. */
export class EventBacklog<T> {
  readonly #clock: BacklogOptions<T>['clock'];
  readonly #isUrgent: BacklogOptions<T>['isUrgent'];
  readonly #max: number;
  #items: T[] = [];
  #urgent = false;
  #overrun = false;
  #lastTaken = -Infinity;
  #wake: (() => void) | null = null;
  #callOff: (() => void) | null = null;

  constructor({ clock, isUrgent, max = MAX_BACKLOG }: BacklogOptions<T>) {
    this.#clock = clock;
    this.#isUrgent = isUrgent;
    this.#max = max;
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

  /** Something came that nobody told: what is stored is to be read. */
  lose(): void {
    this.#overrun = true;
    this.#items = [];
    this.#wakeWhenDue();
  }

  /** True where something was lost: read what is stored, after {@link restart}. */
  get overrun(): boolean {
    return this.#overrun;
  }

  /** Collects again. */
  restart(): void {
    this.#overrun = false;
  }

  /** All there is, as soon as it is due; empty where it has run over or the signal ends it. */
  async take(signal: AbortSignal): Promise<readonly T[]> {
    if (!signal.aborted && !this.#overrun && !this.#isDue()) await this.#due(signal);
    const items = this.#items;
    this.#items = [];
    this.#urgent = false;
    this.#lastTaken = this.#clock.monotonic();
    return items;
  }

  #isDue(): boolean {
    return this.#items.length > 0 && (this.#urgent || this.#clock.monotonic() - this.#lastTaken >= GATHER_MS);
  }

  #due(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal.removeEventListener('abort', wake);
        this.#callOff?.();
        this.#callOff = null;
        this.#wake = null;
        resolve();
      };
      this.#wake = wake;
      signal.addEventListener('abort', wake, { once: true });
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
    // By the time this is reckoned it may be over.
    const left = Math.max(0, this.#lastTaken + GATHER_MS - this.#clock.monotonic());
    this.#callOff ??= this.#clock.after(left, wake);
  }
}

import type { Clock } from '@toolyard/protocol';

/** How long changes of a server are collected before subscribers are notified, in milliseconds. */
const GATHER_MS = 100;

/** Coalesces changes: connecting alone causes several. */
export class ChangeSignal {
  readonly #clock: Clock;
  readonly #notify: (id: string) => void;
  readonly #pending = new Set<string>();
  #callOff: (() => void) | undefined;

  constructor(clock: Clock, notify: (id: string) => void) {
    this.#clock = clock;
    this.#notify = notify;
  }

  changed(id: string): void {
    this.#pending.add(id);
    this.#callOff ??= this.#clock.after(GATHER_MS, () => {
      this.#callOff = undefined;
      const ids = [...this.#pending];
      this.#pending.clear();
      for (const each of ids) this.#notify(each);
    });
  }

  close(): void {
    this.#callOff?.();
    this.#pending.clear();
  }
}

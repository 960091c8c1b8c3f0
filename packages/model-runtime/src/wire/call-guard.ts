import type { Clock } from '@toolyard/protocol';
import { abortError } from '../abort.ts';

export type CallGuardOptions = {
  clock: Clock;
  /** Milliseconds of silence after which the call is given up. */
  idleTimeoutMs: number;
  signal?: AbortSignal | undefined;
};

/** Thrown inside a call that was silent for too long. */
export class SilenceError extends Error {
  override readonly name = 'SilenceError';
}

/** Reads the body of a response. */
export type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Watches over one call: the person's cancel and the other side's silence end it at once, even where fetch or the
 * stream take no notice. Owns its timer and its listener; {@link CallGuard.dispose} removes both.
 */
export class CallGuard {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #outer: AbortSignal | undefined;
  #limitMs: number;
  #stopped: Error | null = null;
  #reader: BodyReader | null = null;
  #rejectPending: ((reason: Error) => void) | null = null;
  #waitingSince: number | null = null;
  #cancelTimer: () => void = () => undefined;

  constructor(options: CallGuardOptions) {
    this.#clock = options.clock;
    this.#limitMs = options.idleTimeoutMs;
    this.#outer = options.signal;
    this.#outer?.addEventListener('abort', this.#onAbort);
    if (this.#outer?.aborted === true) this.#onAbort();
    else this.#arm(this.#limitMs);
  }

  /** For fetch. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was ended from here; null while it goes on. */
  get stopped(): Error | null {
    return this.#stopped;
  }

  /** Waits for `work`, or throws what stopped the call. For single steps: reads go through {@link CallGuard.read}. */
  async wait<Result>(work: Promise<Result>): Promise<Result> {
    if (this.#stopped !== null) work.catch(() => undefined);
    this.#throwIfStopped();
    const stop = new Promise<never>((_, reject) => {
      this.#rejectPending = reject;
    });
    this.#waitingSince = this.#clock.monotonic();
    try {
      return await Promise.race([work, stop]);
    } catch (thrown) {
      this.#throwIfStopped();
      throw thrown;
    } finally {
      this.#waitingSince = null;
      this.#rejectPending = null;
    }
  }

  /** Lets time pass before the next try; it does not count as silence. Throws AbortError where the call is cancelled. */
  async pause(ms: number): Promise<void> {
    this.#throwIfStopped();
    let callOff = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#rejectPending = reject;
        callOff = this.#clock.after(ms, resolve);
      });
    } finally {
      this.#rejectPending = null;
      callOff();
    }
  }

  /** The next bytes; null at the end. Throws what stopped the call, or what broke the connection. */
  async read(reader: BodyReader): Promise<Uint8Array | null> {
    this.waiting(reader);
    try {
      const { done, value } = await reader.read();
      return done ? null : value;
    } finally {
      this.received();
    }
  }

  /** A read begins; {@link CallGuard.received} must follow. In two halves for the hot path: no promise of its own. */
  waiting(reader: BodyReader): void {
    this.#throwIfStopped();
    this.#reader = reader;
    this.#waitingSince = this.#clock.monotonic();
  }

  /** A read has ended, in whatever way. Throws what stopped the call: it goes before what the read brought. */
  received(): void {
    this.#waitingSince = null;
    this.#throwIfStopped();
  }

  /** From here on silence is given up on sooner. */
  shorten(limitMs: number): void {
    if (limitMs >= this.#limitMs) return;
    this.#limitMs = limitMs;
    this.#cancelTimer();
    this.#arm(limitMs);
  }

  /** Ends the watch, not the call. */
  dispose(): void {
    this.#outer?.removeEventListener('abort', this.#onAbort);
    this.#cancelTimer();
  }

  #throwIfStopped(): void {
    if (this.#stopped !== null) throw this.#stopped;
  }

  readonly #onAbort = (): void => {
    this.#stop(abortError());
  };

  #stop(reason: Error): void {
    if (this.#stopped !== null) return;
    this.#stopped = reason;
    this.#cancelTimer();
    // Cancelling settles a pending read at once; it rejects only where the stream has already failed.
    this.#reader?.cancel().catch(() => undefined);
    this.#controller.abort(reason);
    this.#rejectPending?.(reason);
  }

  // One timer looks back when it fires, instead of one timer a read: a stream has thousands of reads.
  #arm(ms: number): void {
    this.#cancelTimer = this.#clock.after(ms, () => {
      const silent = this.#waitingSince === null ? 0 : this.#clock.monotonic() - this.#waitingSince;
      if (silent >= this.#limitMs) this.#stop(new SilenceError());
      else this.#arm(this.#limitMs - silent);
    });
  }
}

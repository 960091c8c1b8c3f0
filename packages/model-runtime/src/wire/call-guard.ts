import type { Clock } from '@toolyard/protocol';
import { abortError } from '../abort.ts';

export type CallGuardOptions = {
  clock: Clock;
  /** Timeout in milliseconds without data. */
  idleTimeoutMs: number;
  signal?: AbortSignal | undefined;
};

/** Thrown within a call that exceeded the idle timeout. */
export class IdleTimeoutError extends Error {
  override readonly name = 'IdleTimeoutError';
}

/** The reader of a response body. */
export type BodyReader = ReadableStreamDefaultReader<Uint8Array>;

/**
 * Ends a call on cancellation and idle timeout immediately, even if fetch or the stream ignore the signal. Owns a timer
 * and a listener; {@link CallGuard.dispose} removes both.
 */
export class CallGuard {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #callerSignal: AbortSignal | undefined;
  readonly #idleTimeoutMs: number;
  #limitMs: number;
  #stopped: Error | null = null;
  #reader: BodyReader | null = null;
  #rejectPending: ((reason: Error) => void) | null = null;
  #waitingSince: number | null = null;
  #cancelTimer: () => void = () => undefined;

  constructor(options: CallGuardOptions) {
    this.#clock = options.clock;
    this.#idleTimeoutMs = options.idleTimeoutMs;
    this.#limitMs = options.idleTimeoutMs;
    this.#callerSignal = options.signal;
    this.#callerSignal?.addEventListener('abort', this.#onAbort);
    if (this.#callerSignal?.aborted === true) this.#onAbort();
    else this.#arm(this.#limitMs);
  }

  /** The signal for fetch. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was stopped locally; null while it runs. */
  get stopped(): Error | null {
    return this.#stopped;
  }

  /** Waits for `work`, or throws what stopped the call. For single steps; reads use {@link CallGuard.read}. */
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

  /** Waits before a retry; does not count as idle time. Throws AbortError on cancel. */
  async pause(ms: number): Promise<void> {
    this.#throwIfStopped();
    let cancelTimer = (): void => undefined;
    try {
      await new Promise<void>((resolve, reject) => {
        this.#rejectPending = reject;
        cancelTimer = this.#clock.after(ms, resolve);
      });
    } finally {
      this.#rejectPending = null;
      cancelTimer();
    }
  }

  /** The next bytes; null at the end. Throws what stopped the call, or the connection error. */
  async read(reader: BodyReader): Promise<Uint8Array | null> {
    this.beginRead(reader);
    try {
      const { done, value } = await reader.read();
      return done ? null : value;
    } finally {
      this.endRead();
    }
  }

  /**
   * Starts a read; {@link CallGuard.endRead} must follow. Split in two so that the hot path creates no extra promise.
   */
  beginRead(reader: BodyReader): void {
    this.#throwIfStopped();
    this.#reader = reader;
    this.#waitingSince = this.#clock.monotonic();
  }

  /** Ends a read, successful or not. Throws what stopped the call, which has priority over the data. */
  endRead(): void {
    this.#waitingSince = null;
    this.#throwIfStopped();
  }

  /** Reduces the idle timeout, or restores it (null). */
  waitAtMost(limitMs: number | null): void {
    const limit = Math.min(limitMs ?? this.#idleTimeoutMs, this.#idleTimeoutMs);
    if (limit === this.#limitMs) return;
    this.#limitMs = limit;
    this.#cancelTimer();
    this.#arm(limit);
  }

  /** Removes timer and listener; the call itself continues. */
  dispose(): void {
    this.#callerSignal?.removeEventListener('abort', this.#onAbort);
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
    // Cancelling settles a pending read immediately; it rejects only if the stream has already failed.
    this.#reader?.cancel().catch(() => undefined);
    this.#controller.abort(reason);
    this.#rejectPending?.(reason);
  }

  // One timer that re-arms itself, instead of one per read: a stream has thousands of reads.
  #arm(ms: number): void {
    this.#cancelTimer = this.#clock.after(ms, () => {
      const silent = this.#waitingSince === null ? 0 : this.#clock.monotonic() - this.#waitingSince;
      if (silent >= this.#limitMs) this.#stop(new IdleTimeoutError());
      else this.#arm(this.#limitMs - silent);
    });
  }
}

/** A signal that is aborted after a time, and with `signal`. {@link Deadline.dispose} removes its timer. */
export class Deadline {
  readonly signal: AbortSignal;
  readonly dispose: () => void;

  constructor(clock: Clock, ms: number, signal: AbortSignal | undefined) {
    const controller = new AbortController();
    this.dispose = clock.after(ms, () => controller.abort());
    this.signal = signal === undefined ? controller.signal : AbortSignal.any([signal, controller.signal]);
  }
}

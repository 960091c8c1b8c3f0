import { createNotice } from '../create-notice.ts';
import type { AnyText, ErrorInfo, FinishReason, JsonValue, Usage, ErrorInit } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import type { TextPath } from './plain-text.ts';
import { malformedCall, meaningOfStop } from './stop-reason.ts';
import { toModelError, type ErrorContext, type ProviderFault } from './provider-error.ts';
import { shortened } from './shortened.ts';

/** Converts the events of one answer, or a whole answer, into parts. Emits `finish` or `error` exactly once. */
export abstract class StreamedAnswer {
  /** True after `finish` or `error` was emitted. */
  ended = false;
  /** True after the server sent its end-of-stream marker. */
  isStreamDone = false;
  /** The provider's error that ended the answer. */
  rejection: ProviderFault | null = null;
  protected usage: Usage | null = null;
  #reason: FinishReason | null = null;
  /** The stop reason as the server named it. */
  #givenReason: string | null = null;
  /** Where the stop reason arrived: in an event without content or beside it; `early`: content followed. */
  #stop: 'alone' | 'beside' | 'early' = 'alone';
  /** True if the current event contains a stop reason. */
  #isStopping = false;
  /** True after any stop reason that content followed. */
  #stopsEarly = false;
  /** Pieces of content so far, and the type of the last: reasoning alone is no answer. */
  #pieces = 0;
  #hasAnswer = false;
  /** True after the first event that belongs to an answer. */
  protected began = false;
  protected readonly text: TextPath;
  protected readonly errors: ErrorContext;

  constructor(text: TextPath, errors: ErrorContext) {
    this.text = text;
    this.errors = errors;
  }

  /** True if a stop reason arrived and no content followed it. */
  get stopped(): boolean {
    return this.#reason !== null && this.#stop !== 'early';
  }

  /**
   * True if the answer is over; only usage may follow.
   *
   * Rule: a stop reason is final only if nothing follows it. Servers set one in every event, or in those of the
   * reasoning, so it is expected to be final only if it came alone, after an answer, and none before was early.
   */
  get isLikelyOver(): boolean {
    return this.stopped && this.#stop === 'alone' && this.#hasAnswer && !this.#stopsEarly;
  }

  get hasUsage(): boolean {
    return this.usage !== null;
  }

  /** Processes one event, or a whole answer. `name` is the event's name, if any. */
  read(value: JsonValue, out: StreamPart[], name?: string): void {
    const pieces = this.#pieces;
    this.#isStopping = false;
    this.chunk(value, out, name);
    if (this.#isStopping) this.#stop = this.#pieces > pieces ? 'beside' : 'alone';
    else if (this.#pieces > pieces && this.#reason !== null) {
      this.#stop = 'early';
      this.#stopsEarly = true;
    }
  }

  protected abstract chunk(value: JsonValue, out: StreamPart[], name?: string): void;

  /** Adds text of the answer. */
  protected say(text: string, out: StreamPart[]): void {
    if (text === '') return;
    this.addPiece();
    this.text.push(text, out);
  }

  /** Adds reasoning. */
  protected think(text: string, out: StreamPart[]): void {
    if (text === '') return;
    this.#pieces += 1;
    out.push({ type: 'reasoning', text });
  }

  /** Notes that a piece of the answer arrived: part of a call, an image. */
  protected addPiece(): void {
    this.#pieces += 1;
    this.#hasAnswer = true;
  }

  /** The server gave a stop reason. A later one replaces it. */
  protected stop(reason: FinishReason): void {
    this.#reason = reason;
    this.#isStopping = true;
  }

  /**
   * Reads the stop reason of the server. `detail`: what it says about it; `native`: the reason of the provider behind a
   * gateway, which calls reasons that it does not know `stop` or `error`.
   */
  protected stopFor(reason: string, out: StreamPart[], detail = '', native = ''): FinishReason | null {
    const own = meaningOfStop(reason);
    const inner = native === '' ? 'pending' : meaningOfStop(native);
    const isVague = ['stop', 'unknown', 'pending', ...(inner === 'stop' || inner === 'unknown' ? [] : ['error'])];
    const isInner = inner !== 'pending' && isVague.includes(own);
    const meaning = isInner ? inner : own;
    if (meaning === 'pending') return null;
    const isNew = this.#givenReason !== reason;
    this.#givenReason = reason;
    if (meaning === 'malformed' && isNew) out.push(malformedCall(detail));
    if (meaning === 'unknown' && isNew) out.push(this.#unknownStop(isInner ? native : reason, detail));
    const finish = meaning === 'malformed' ? 'tool_calls' : meaning === 'unknown' ? 'stop' : meaning;
    this.stop(finish);
    return finish;
  }

  #unknownStop(reason: string, detail: string): StreamPart {
    const [name = '', said = ''] = [reason, detail].map((each) => shortened(this.errors.redact(each)));
    const { server } = this.errors;
    const text =
      said === ''
        ? say`${server} ended the answer with the stop reason "${name}".`
        : say`${server} ended the answer with the stop reason "${name}": ${said}`;
    return createNotice('stop_reason', text);
  }

  /** Number of native calls so far. */
  protected abstract get callCount(): number;

  /** Emits the calls that are not complete yet. `cut`: the answer ended at the token limit. */
  protected abstract endCalls(cut: boolean, out: StreamPart[]): void;

  /** The server ended the answer, or closed the stream. */
  end(out: StreamPart[]): void {
    if (this.ended) return;
    if (!this.began) {
      this.fail(
        {
          code: 'no_response',
          message: say`${this.errors.server} returned an answer without any choice.`,
          hint: say`Try again; if the problem persists, check the log of the model server.`,
          retryable: true,
        },
        out,
      );
      return;
    }
    if (this.#reason === 'error' || (this.#reason === null && !this.isStreamDone)) {
      this.fail(brokenStream(this.errors.server), out);
      return;
    }
    this.#finish(this.#reason ?? 'stop', out);
  }

  /** The provider ended the answer with an error. */
  reject(error: ProviderFault, out: StreamPart[]): void {
    this.rejection = error;
    this.fail(toModelError(error, null, this.errors), out);
  }

  /** Ends an answer whose bytes cannot be read. */
  failUnreadable(why: AnyText, out: StreamPart[]): void {
    const message = say`The answer of ${this.errors.server} could not be read: ${why}.`;
    this.fail({ code: 'bad_response', message, retryable: true }, out);
  }

  /** Ends the answer with an error; earlier parts stay valid. */
  fail(error: ErrorInit, out: StreamPart[]): void {
    if (this.ended) return;
    this.text.breakOff(this.callCount, out);
    if (this.usage !== null) out.push({ type: 'usage', usage: this.usage });
    out.push({ type: 'error', error: createErrorInfo(error) });
    this.ended = true;
  }

  #finish(reason: FinishReason, out: StreamPart[]): void {
    const textCalls = this.text.end(this.callCount, out);
    this.endCalls(reason === 'length', out);
    if (this.usage !== null) out.push({ type: 'usage', usage: this.usage });
    const hasCalls = textCalls + this.callCount > 0;
    out.push({ type: 'finish', reason: hasCalls && reason === 'stop' ? 'tool_calls' : reason });
    this.ended = true;
  }
}

/** The error for a connection or server that stopped in the middle of an answer. */
export function brokenStream(server: string): ErrorInfo {
  return createErrorInfo({
    code: 'stream_broken',
    message: say`The answer of ${server} was interrupted before its end.`,
    hint: say`The partial answer is kept. Try again; if the problem persists, check the log of the model server.`,
    retryable: true,
  });
}

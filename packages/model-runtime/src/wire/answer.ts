import type { ErrorInfo, FinishReason, JsonValue, Usage } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import type { TextPath } from './plain-text.ts';
import type { ErrorContext } from './provider-error.ts';

/** Converts the events of one answer, or a whole answer, into parts. Emits `finish` or `error` exactly once. */
export abstract class StreamedAnswer {
  /** True after `finish` or `error` was emitted. */
  ended = false;
  /** True after the server sent its end-of-stream marker. */
  isStreamDone = false;
  protected usage: Usage | null = null;
  protected reason: FinishReason | null = null;
  /** True after the first event that belongs to an answer. */
  protected began = false;
  protected readonly text: TextPath;
  protected readonly errors: ErrorContext;

  constructor(text: TextPath, errors: ErrorContext) {
    this.text = text;
    this.errors = errors;
  }

  /** True after the stop reason arrived; usage may still follow. */
  get stopped(): boolean {
    return this.reason !== null;
  }

  /** Processes one event, or a whole answer. `name` is the event's name, if any. */
  abstract chunk(value: JsonValue, out: StreamPart[], name?: string): void;

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
          message: `${this.errors.server} returned an answer without any choice.`,
          hint: 'Try again; if the problem persists, check the log of the model server.',
          retryable: true,
        },
        out,
      );
      return;
    }
    if (this.reason === 'error' || (this.reason === null && !this.isStreamDone)) {
      this.fail(brokenStream(this.errors.server), out);
      return;
    }
    this.#finish(this.reason ?? 'stop', out);
  }

  /** Ends the answer with an error; earlier parts stay valid. */
  fail(error: ErrorInfo, out: StreamPart[]): void {
    if (this.ended) return;
    this.text.breakOff(this.callCount, out);
    if (this.usage !== null) out.push({ type: 'usage', usage: this.usage });
    out.push({ type: 'error', error });
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
  return {
    code: 'stream_broken',
    message: `The answer of ${server} was interrupted before its end.`,
    hint: 'The partial answer is kept. Try again; if the problem persists, check the log of the model server.',
    retryable: true,
  };
}

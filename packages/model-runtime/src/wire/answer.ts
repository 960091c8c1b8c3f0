import type { ErrorInfo, FinishReason, JsonValue, Usage } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import type { TextPath } from './plain-text.ts';
import type { ErrorContext } from './provider-error.ts';

/** Turns the events of one answer, or a whole answer, into parts. Ends with `finish` or `error`, once. */
export abstract class StreamedAnswer {
  /** True once `finish` or `error` was given out. */
  ended = false;
  /** True once the server said that nothing follows. */
  saidDone = false;
  protected usage: Usage | null = null;
  protected reason: FinishReason | null = null;
  /** True once anything came that belongs to an answer. */
  protected began = false;
  protected readonly text: TextPath;
  protected readonly errors: ErrorContext;

  constructor(text: TextPath, errors: ErrorContext) {
    this.text = text;
    this.errors = errors;
  }

  /** True once the model said why it stopped; usage may still follow. */
  get stopped(): boolean {
    return this.reason !== null;
  }

  /** Takes one event, or a whole answer. `name` is that of the event, where it has one. */
  abstract chunk(value: JsonValue, out: StreamPart[], name?: string): void;

  /** How many calls came so far, natively. */
  protected abstract get callCount(): number;

  /** The answer is whole: gives out the calls that still wait. `cut`: it ended at the limit of tokens. */
  protected abstract endCalls(cut: boolean, out: StreamPart[]): void;

  /** The server said that the answer is over, or simply closed the stream. */
  end(out: StreamPart[]): void {
    if (this.ended) return;
    if (!this.began) {
      this.fail(
        {
          code: 'no_response',
          message: `${this.errors.server} answered without any choice.`,
          hint: 'Try again; if it stays so, look into the log of the model server.',
          retryable: true,
        },
        out,
      );
      return;
    }
    if (this.reason === 'error' || (this.reason === null && !this.saidDone)) {
      this.fail(brokenStream(this.errors.server), out);
      return;
    }
    this.#finish(this.reason ?? 'stop', out);
  }

  /** Ends the answer with an error; what came before stays. */
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
    const asked = textCalls + this.callCount > 0;
    out.push({ type: 'finish', reason: asked && reason === 'stop' ? 'tool_calls' : reason });
    this.ended = true;
  }
}

/** The connection ended, or the server gave up, in the middle of an answer. */
export function brokenStream(server: string): ErrorInfo {
  return {
    code: 'stream_broken',
    message: `The answer of ${server} broke off before it was whole.`,
    hint: 'What came so far is kept. Try again; if it stays so, look into the log of the model server.',
    retryable: true,
  };
}

import type { StreamPart } from '../types.ts';
import { isWithoutArguments } from './arguments.ts';
import { AnswerCalls, type AnswerCall } from './answer-calls.ts';

/** The native calls of an API format that marks their start and end, each under a key. */
export class BlockCalls {
  readonly #calls = new AnswerCalls();
  readonly #byKey = new Map<string | number, AnswerCall>();

  get count(): number {
    return this.#calls.count;
  }

  /** True if a call with this key exists. */
  has(key: string | number): boolean {
    return this.#byKey.has(key);
  }

  /**
   * Starts a call; `key` identifies its later events. `whole`: its complete arguments, if the start contains them. After
   * the end of a call its key may be used for another: servers number every call 0.
   */
  begin(key: string | number, id: string, name: string, out: StreamPart[], whole = ''): void {
    let call = this.#byKey.get(key);
    const isOther = call?.progress.closed === true && id !== '' && id !== call.id;
    if (call === undefined || isOther) this.#byKey.set(key, (call = this.#calls.open(id, name)));
    if (!isWithoutArguments(whole)) call.whole = whole;
    this.#calls.announce(call, out);
  }

  delta(key: string | number, argumentsText: string, out: StreamPart[]): void {
    const call = this.#byKey.get(key);
    if (call !== undefined && !call.progress.closed) this.#calls.append(call, argumentsText, out);
  }

  /** Sets the complete arguments of a call, if an event besides its start and end contains them. */
  complete(key: string | number, whole: string): void {
    const call = this.#byKey.get(key);
    if (call !== undefined && !call.progress.closed && whole !== '') call.whole = whole;
  }

  /** Ends a call. `whole`: its complete arguments, if the end event contains them. */
  end(key: string | number, cut: boolean, out: StreamPart[], whole = ''): void {
    const call = this.#byKey.get(key);
    if (call === undefined || call.progress.closed) return;
    if (whole !== '') call.whole = whole;
    this.#calls.close(call, cut, out);
  }

  /** Ends all calls that are still open. */
  endAll(cut: boolean, out: StreamPart[]): void {
    this.#calls.finish(cut, out);
  }
}

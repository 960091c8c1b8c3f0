import type { JsonObject } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { readArguments } from './arguments.ts';

type Call = { index: number; id: string; name: string; argumentsText: string; done: boolean };

/**
 * The native calls of a wire that marks their start and end. A repeated start continues the call; each call is emitted
 * once, even if its end is repeated or missing.
 */
export class BlockCalls {
  readonly #calls = new Map<string | number, Call>();

  get count(): number {
    return this.#calls.size;
  }

  /** True if a call with this key exists. */
  has(key: string | number): boolean {
    return this.#calls.has(key);
  }

  /** Starts a call; `key` identifies its later events. */
  begin(key: string | number, id: string, name: string, out: StreamPart[]): void {
    if (this.#calls.has(key)) return;
    const call = { index: this.#calls.size, id, name, argumentsText: '', done: false };
    this.#calls.set(key, call);
    if (name !== '') out.push({ type: 'tool_call_start', index: call.index, ...idOf(call), name });
  }

  delta(key: string | number, argumentsText: string, out: StreamPart[]): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.done || argumentsText === '') return;
    call.argumentsText += argumentsText;
    if (call.name !== '') out.push({ type: 'tool_call_delta', index: call.index, argumentsText });
  }

  /** Ends a call. `whole`: its complete arguments, if the end event contains them. */
  end(key: string | number, cut: boolean, out: StreamPart[], completeText = ''): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.done) return;
    if (call.argumentsText === '' && completeText !== '') this.delta(key, completeText, out);
    call.done = true;
    const { index, name, argumentsText } = call;
    if (name === '') {
      out.push({ type: 'malformed_tool_call', raw: argumentsText, reason: 'the call has no name' });
      return;
    }
    const args: JsonObject | null = readArguments(argumentsText, cut);
    out.push({ type: 'tool_call', index, ...idOf(call), name, arguments: args, argumentsText });
  }

  /** Ends all calls that are still open. */
  endAll(cut: boolean, out: StreamPart[]): void {
    for (const key of this.#calls.keys()) this.end(key, cut, out);
  }
}

function idOf(call: Call): { id?: string } {
  return call.id === '' ? {} : { id: call.id };
}

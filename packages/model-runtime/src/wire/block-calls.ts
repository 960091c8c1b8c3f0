import type { JsonObject } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { readArguments } from './arguments.ts';

type Call = { index: number; id: string; name: string; argumentsText: string; done: boolean };

/**
 * The native calls of an answer whose wire says when each begins and ends. Begun twice, a call goes on; ended twice, or
 * not at all, it is given out once.
 */
export class BlockCalls {
  readonly #calls = new Map<string | number, Call>();

  get count(): number {
    return this.#calls.size;
  }

  /** True where a call goes by this key. */
  has(key: string | number): boolean {
    return this.#calls.has(key);
  }

  /** A call begins; `key` joins what belongs to it. */
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

  /** A call is whole. `whole`: its arguments, where the end repeats or first brings them. */
  end(key: string | number, cut: boolean, out: StreamPart[], whole = ''): void {
    const call = this.#calls.get(key);
    if (call === undefined || call.done) return;
    if (call.argumentsText === '' && whole !== '') this.delta(key, whole, out);
    call.done = true;
    const { index, name, argumentsText } = call;
    if (name === '') {
      out.push({ type: 'malformed_tool_call', raw: argumentsText, reason: 'the call has no name' });
      return;
    }
    const args: JsonObject | null = readArguments(argumentsText, cut);
    out.push({ type: 'tool_call', index, ...idOf(call), name, arguments: args, argumentsText });
  }

  /** The answer is whole: what was not ended before ends now. */
  endAll(cut: boolean, out: StreamPart[]): void {
    for (const key of this.#calls.keys()) this.end(key, cut, out);
  }
}

function idOf(call: Call): { id?: string } {
  return call.id === '' ? {} : { id: call.id };
}

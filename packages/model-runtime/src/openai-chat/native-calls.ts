import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { readArguments } from '../wire/arguments.ts';
import { keepForReplay } from './replay.ts';

type Call = {
  index: number;
  id: string;
  name: string;
  argumentsText: string;
  /** Extra fields of the call that must be sent back with it. */
  extra: JsonObject | null;
  /** The name is complete and the call was announced. */
  started: boolean;
};

/**
 * Assembles native calls from their deltas. By specification calls are numbered and named once. Servers omit the
 * number, number every call 0, repeat the id, reuse an id for two calls, change the id with every delta, send the name
 * in pieces or repeatedly, or send the arguments as an object.
 */
export class NativeCalls {
  readonly #calls: Call[] = [];
  readonly #byWireIndex = new Map<number, Call>();

  get count(): number {
    return this.#calls.length;
  }

  /** Adds the `tool_calls` of one delta. */
  addAll(deltas: readonly JsonValue[], out: StreamPart[]): void {
    let first = true;
    for (const delta of deltas) {
      if (isJsonObject(delta)) this.add(delta, out, !first);
      first = false;
    }
  }

  /** Adds one item. `separate`: the delta has several items, so an item without a number is a call of its own. */
  add(delta: JsonObject, out: StreamPart[], separate = false): void {
    const fn = isJsonObject(delta['function']) ? delta['function'] : delta;
    const wireIndex = typeof delta['index'] === 'number' ? delta['index'] : null;
    const id = typeof delta['id'] === 'string' ? delta['id'] : '';
    const name = typeof fn['name'] === 'string' ? fn['name'] : '';
    const argumentsText = argumentsTextOf(fn['arguments'] ?? fn['parameters']);
    if (wireIndex === null && id === '' && name === '' && argumentsText === '') return;

    const isSeparate = separate && wireIndex === null && name !== '';
    const known = isSeparate ? null : this.#find(wireIndex, id, name, argumentsText);
    const call = known ?? this.#begin(wireIndex, out);
    if (call.id === '') call.id = id;
    if (isJsonObject(delta['extra_content'])) call.extra = { extra_content: delta['extra_content'] };
    if (!call.started && name !== call.name) call.name += name;
    if (argumentsText === '') return;
    this.#announce(call, out);
    call.argumentsText += argumentsText;
    if (call.started) out.push({ type: 'tool_call_delta', index: call.index, argumentsText });
  }

  /** Ends the answer. `cut`: it ended at the token limit, so empty arguments may be truncated ones. */
  finish(cut: boolean, out: StreamPart[]): void {
    for (const call of this.#calls) {
      if (call.name === '') {
        out.push({ type: 'malformed_tool_call', raw: call.argumentsText, reason: 'the call has no name' });
        continue;
      }
      this.#announce(call, out);
      if (call.extra !== null) out.push(keepForReplay({ call: call.extra }));
      out.push({
        type: 'tool_call',
        index: call.index,
        ...(call.id === '' ? {} : { id: call.id }),
        name: call.name,
        arguments: readArguments(call.argumentsText, cut),
        argumentsText: call.argumentsText,
      });
    }
  }

  #find(wireIndex: number | null, id: string, name: string, argumentsText: string): Call | null {
    const call = wireIndex === null ? this.#continued(id, name) : this.#byWireIndex.get(wireIndex);
    if (call === undefined || call === null) return null;
    if (name === '') return call;
    // With a name, it may be another call that reuses the index, if the first can be complete.
    const otherId = id !== '' && call.id !== '' && id !== call.id;
    if (call.argumentsText === '') return otherId && call.name !== '' ? null : call;
    const isNewObject = argumentsText === '' || argumentsText.trimStart().startsWith('{');
    const complete =
      isNewObject && call.argumentsText.trimEnd().endsWith('}') && readArguments(call.argumentsText, true) !== null;
    return complete && (otherId || argumentsText !== '' || name !== call.name) ? null : call;
  }

  /** Without a number: the call with this id, if the delta has no new one; else the last call. */
  #continued(id: string, name: string): Call | undefined {
    const last = this.#calls.at(-1);
    if (id === '' || name !== '' || last?.id === id) return last;
    return this.#calls.findLast((call) => call.id === id) ?? last;
  }

  #begin(wireIndex: number | null, out: StreamPart[]): Call {
    const before = this.#calls.at(-1);
    if (before !== undefined) this.#announce(before, out);
    const call: Call = { index: this.#calls.length, id: '', name: '', argumentsText: '', extra: null, started: false };
    this.#calls.push(call);
    if (wireIndex !== null) this.#byWireIndex.set(wireIndex, call);
    return call;
  }

  #announce(call: Call, out: StreamPart[]): void {
    if (call.started || call.name === '') return;
    call.started = true;
    out.push({
      type: 'tool_call_start',
      index: call.index,
      ...(call.id === '' ? {} : { id: call.id }),
      name: call.name,
    });
    // Arguments may arrive before the name.
    if (call.argumentsText === '') return;
    out.push({ type: 'tool_call_delta', index: call.index, argumentsText: call.argumentsText });
  }
}

function argumentsTextOf(value: JsonValue | undefined): string {
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

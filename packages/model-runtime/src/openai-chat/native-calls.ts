import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import type { StreamPart } from '../types.ts';
import { AnswerCalls, type AnswerCall } from '../wire/answer-calls.ts';
import { toArgumentsText, readArguments } from '../wire/arguments.ts';
import { keepForReplay } from './replay.ts';

/**
 * Assembles native calls from their deltas. By specification calls are numbered and named once. Servers omit the
 * number, number every call 0, repeat the id, reuse an id for two calls, change the id with every delta, send the name
 * in pieces or repeatedly, send the arguments as an object, or send a finished call again.
 */
export class NativeCalls {
  readonly #calls = new AnswerCalls();
  readonly #byWireIndex = new Map<number, AnswerCall>();
  /** Calls whose id changes with every delta: their ids distinguish nothing. */
  readonly #changing = new Set<AnswerCall>();

  get count(): number {
    return this.#calls.count;
  }

  /** Adds the `tool_calls` of one delta. `whole`: they are those of a complete message, numbered by their positions. */
  addAll(deltas: readonly JsonValue[], out: StreamPart[], whole = false): void {
    for (const [at, delta] of deltas.entries()) {
      if (!isJsonObject(delta)) continue;
      this.add(whole && typeof delta['index'] !== 'number' ? { ...delta, index: at } : delta, out, at > 0);
    }
  }

  /** Adds one item. `separate`: the delta has several items, so an item without a number is a call of its own. */
  add(delta: JsonObject, out: StreamPart[], separate = false): void {
    const fn = isJsonObject(delta['function']) ? delta['function'] : delta;
    const wireIndex = typeof delta['index'] === 'number' ? delta['index'] : null;
    const id = typeof delta['id'] === 'string' ? delta['id'] : '';
    const name = typeof fn['name'] === 'string' ? fn['name'] : '';
    const argumentsText = toArgumentsText(fn['arguments'] ?? fn['parameters']);
    if (wireIndex === null && id === '' && name === '' && argumentsText === '') return;

    const isSeparate = separate && wireIndex === null && name !== '';
    const known = isSeparate ? undefined : this.#known(wireIndex, id, name);
    const relation = known === undefined ? 'other' : this.#relation(known, wireIndex, id, name, argumentsText);
    const call =
      known === undefined || relation !== 'same'
        ? this.#begin(wireIndex, id, name, relation === 'again' ? known : undefined, out)
        : known;
    if (call.id === '') call.id = id;
    else if (id !== '' && id !== call.id) this.#changing.add(call);
    if (isJsonObject(delta['extra_content'])) {
      call.before = [keepForReplay({ call: { extra_content: delta['extra_content'] } })];
    }
    if (!this.#calls.isAnnounced(call) && name !== call.name) call.name += name;
    if (argumentsText === '') return;
    this.#calls.announce(call, out);
    this.#calls.append(call, argumentsText, out);
  }

  /** Ends the answer. `cut`: it ended at the token limit, so empty arguments may be truncated ones. */
  finish(cut: boolean, out: StreamPart[]): void {
    this.#calls.finish(cut, out);
  }

  /** The call of this number. Without one, or for arguments alone: the call with this id, else the last. */
  #known(wireIndex: number | null, id: string, name: string): AnswerCall | undefined {
    const numbered = wireIndex === null ? undefined : this.#byWireIndex.get(wireIndex);
    if (numbered !== undefined) return numbered;
    if (wireIndex !== null && (id !== '' || name !== '')) return undefined;
    return (id === '' ? undefined : this.#calls.find(id)) ?? this.#calls.last;
  }

  /** Whether a delta belongs to the call, starts another one at its place, or seems to send it again. */
  #relation(
    call: AnswerCall,
    wireIndex: number | null,
    id: string,
    name: string,
    argumentsText: string,
  ): 'same' | 'other' | 'again' {
    if (name === '') return 'same';
    const otherId = id !== '' && call.id !== '' && id !== call.id && !this.#changing.has(call);
    if (call.text === '') return otherId && call.name !== '' ? 'other' : 'same';
    const isOther = otherId || name !== call.name;
    const isNewObject = argumentsText === '' || argumentsText.trimStart().startsWith('{');
    const complete = isNewObject && call.text.trimEnd().endsWith('}') && readArguments(call.text, true) !== null;
    const isNamedAnew = otherId && isNewObject && (wireIndex === null || name !== call.name);
    if (!complete) return isNamedAnew ? 'other' : 'same';
    return isOther ? 'other' : 'again';
  }

  #begin(
    wireIndex: number | null,
    id: string,
    name: string,
    repeats: AnswerCall | undefined,
    out: StreamPart[],
  ): AnswerCall {
    const before = this.#calls.last;
    if (before !== undefined) this.#calls.announce(before, out);
    // The name is added by the caller, because it may arrive in pieces.
    const call = this.#calls.open(id, name, repeats);
    if (wireIndex !== null) this.#byWireIndex.set(wireIndex, call);
    return call;
  }
}

import { SvelteMap } from 'svelte/reactivity';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { initialValue } from './schema-fields.ts';
import type { SchemaFault } from './schema-faults.ts';
import { readFaults, readJsonArguments, withValue } from './schema-faults.ts';

/** The arguments of a call that a user writes, as a form or as JSON. */
export class ToolDraft {
  readonly schema: JsonObject;
  /** The last valid arguments. */
  value: JsonObject = $state.raw({});
  mode: 'form' | 'json' = $state('form');
  json = $state('');
  /** Loaded on demand; until then nothing is checked. */
  check: ((schema: JsonObject, args: JsonObject) => string | null) | null = $state.raw(null);
  /** True once the user has tried to run it: an empty form is not full of errors. */
  tried = $state(false);
  /** Invalid JSON that was typed into a field, by path. */
  readonly #broken = new SvelteMap<string, string>();

  constructor(schema: JsonObject, args?: JsonObject) {
    this.schema = schema;
    const initial = args ?? initialValue(schema, schema);
    this.value = isJsonObject(initial) ? initial : {};
  }

  readonly syntax = $derived.by(() => (this.mode === 'json' ? readJsonArguments(this.json) : null));
  readonly faults: readonly SchemaFault[] = $derived.by(() =>
    this.check === null ? [] : readFaults(this.check(this.schema, this.value)),
  );

  /** What was typed is not JSON, so there is nothing to send. */
  get isBroken(): boolean {
    return this.syntax?.ok === false || (this.mode === 'form' && this.#broken.size > 0);
  }

  faultAt(path: readonly string[]): string | undefined {
    if (!this.tried) return undefined;
    return this.faults.find((fault) => getKey(fault.path) === getKey(path))?.message;
  }

  brokenAt(path: readonly string[]): string | undefined {
    return this.#broken.get(getKey(path));
  }

  /** Undefined removes the value. */
  put(path: readonly string[], value: JsonValue | undefined): void {
    const prefix = getKey(path).slice(0, -1);
    for (const key of [...this.#broken.keys()]) if (key.startsWith(prefix)) this.#broken.delete(key);
    const changed = withValue(this.value, path, value);
    this.value = isJsonObject(changed) ? changed : {};
  }

  putBroken(path: readonly string[], text: string): void {
    this.#broken.set(getKey(path), text);
  }

  typeJson(text: string): void {
    this.json = text;
    const read = readJsonArguments(text);
    if (read.ok) this.value = read.value;
  }

  show(mode: 'form' | 'json'): void {
    if (mode === 'json') this.json = JSON.stringify(this.value, null, 2);
    this.#broken.clear();
    this.mode = mode;
  }
}

function getKey(path: readonly string[]): string {
  return JSON.stringify(path);
}

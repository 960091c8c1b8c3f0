import type { JsonObject, ToolDifference } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import type { ArgumentFault, ArgumentField } from './argument-fields.ts';
import { readArgument, textOfValue } from './argument-fields.ts';
import { differencesBetween } from './differences.ts';
import { RecentMap } from '../../../recent-map.ts';

/** The arguments of a call while the user edits them, as fields or as JSON; both views share one value. */
export class ArgumentsDraft {
  readonly original: JsonObject;
  /** The last valid arguments. */
  current: JsonObject = $state.raw({});
  open = $state(false);
  mode: 'form' | 'json' = $state('form');
  /** The text of the JSON view; parsed when it is valid JSON. */
  json = $state('');
  jsonFault = $state(false);

  /** Texts of fields by name, shown as typed rather than as parsed. */
  #texts: Readonly<Record<string, string>> = $state.raw({});
  #faults: Readonly<Record<string, ArgumentFault>> = $state.raw({});
  /** The arguments {@link json} was made from. */
  #written: JsonObject | null = null;

  constructor(original: JsonObject) {
    this.original = original;
    this.current = original;
  }

  // Getters, not `$derived`: a draft outlives the component that created it, and derived values stop updating when
  // their component is destroyed.
  get differences(): readonly ToolDifference[] {
    return differencesBetween(this.original, this.current);
  }

  get changed(): boolean {
    return this.differences.length > 0;
  }

  get faulty(): boolean {
    return this.mode === 'json' ? this.jsonFault : Object.keys(this.#faults).length > 0;
  }

  get faults(): Readonly<Record<string, ArgumentFault>> {
    return this.#faults;
  }

  getText(field: ArgumentField): string {
    const { name } = field;
    if (Object.hasOwn(this.#texts, name)) return this.#texts[name] ?? '';
    return textOfValue(field, Object.hasOwn(this.current, name) ? this.current[name] : undefined);
  }

  type(field: ArgumentField, text: string): void {
    const { name } = field;
    this.#texts = { ...this.#texts, [name]: text };
    const read = readArgument(field, text);
    this.#faults = without(this.#faults, name);
    if (!read.ok) this.#faults = { ...this.#faults, [name]: read.fault };
    else if (read.value === undefined) this.current = without(this.current, name);
    else this.current = { ...this.current, [name]: read.value };
  }

  typeJson(text: string): void {
    this.json = text;
    const read = parseJson(text);
    this.jsonFault = !(read.ok && isJsonObject(read.value));
    if (!read.ok || !isJsonObject(read.value)) return;
    this.current = this.#written = read.value;
    this.#texts = {};
    this.#faults = {};
  }

  show(mode: 'form' | 'json'): void {
    this.mode = mode;
    // Invalid JSON stays as typed, unless the fields have changed since.
    if (mode === 'form' || this.current === this.#written) return;
    this.json = JSON.stringify(this.current, null, 2);
    this.jsonFault = false;
    this.#written = this.current;
  }

  undo(): void {
    this.current = this.original;
    this.#texts = {};
    this.#faults = {};
    this.#written = null;
    this.jsonFault = false;
    this.show(this.mode);
  }
}

/** Edited arguments outlive their card, which is destroyed when it is scrolled out of the page. */
const drafts = new RecentMap<string, ArgumentsDraft>(50);

export function argumentsDraft(interruptId: string, original: JsonObject): ArgumentsDraft {
  const draft = drafts.get(interruptId) ?? new ArgumentsDraft(original);
  drafts.set(interruptId, draft);
  return draft;
}

function without<T>(object: Readonly<Record<string, T>>, name: string): Record<string, T> {
  return Object.fromEntries(Object.entries(object).filter(([key]) => key !== name));
}

import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { resolveReference } from './flatten.ts';

/** Gives property keys that a provider rejects safe names, distinct from all others of the tool. */
export class SafeKeys {
  /** Sent name to own name. */
  readonly originals = new Map<string, string>();
  readonly #safe = new Map<string, string>();
  readonly #schema: JsonObject;
  readonly #accepted: RegExp | null;
  #taken: Set<string> | undefined;

  constructor(schema: JsonObject, accepted: RegExp | null) {
    this.#schema = schema;
    this.#accepted = accepted;
  }

  of(key: string): string {
    if (this.#accepted === null || this.#accepted.test(key)) return key;
    const known = this.#safe.get(key);
    if (known !== undefined) return known;
    this.#taken ??= keysIn(this.#schema);
    const plain = key
      .replace(/[^a-zA-Z0-9_.-]+/g, '_')
      .replace(/^[_.-]+|[_.-]+$/g, '')
      .slice(0, 48);
    const stem = /^[a-zA-Z]/.test(plain) ? plain : `key_${plain}`.replace(/_$/, '');
    let name = stem;
    for (let count = 2; this.#taken.has(name); count += 1) name = `${stem}_${count}`;
    this.#taken.add(name);
    this.#safe.set(key, name);
    this.originals.set(name, key);
    return name;
  }
}

function keysIn(schema: JsonObject): Set<string> {
  const keys = new Set<string>();
  const queue: JsonValue[] = [schema];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (Array.isArray(next)) queue.push(...next);
    else if (isJsonObject(next)) {
      for (const key of Object.keys(next)) keys.add(key);
      queue.push(...Object.values(next));
    }
  }
  return keys;
}

/**
 * Renames the keys of arguments that the sent schema declares: `back` from sent names to the tool's own, otherwise to
 * sent names. Keys of free-form objects stay as they are.
 */
export function renameKeys(
  args: JsonObject,
  sent: JsonObject,
  originals: ReadonlyMap<string, string>,
  back: boolean,
): JsonObject {
  if (originals.size === 0) return args;
  const safe = new Map([...originals].map(([name, original]) => [original, name]));

  function renamed(value: JsonValue, schemas: readonly JsonObject[]): JsonValue {
    const forms = expand(sent, schemas);
    if (forms.length === 0) return value;
    if (Array.isArray(value)) return value.map((each) => renamed(each, readMembers(forms, 'items')));
    return isJsonObject(value) ? renamedObject(value, forms) : value;
  }

  function renamedObject(value: JsonObject, forms: readonly JsonObject[]): JsonObject {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => {
        const sentKey = back ? key : (safe.get(key) ?? key);
        const declared = forms.flatMap((form) => readMember(form['properties'], sentKey));
        if (declared.length === 0) return [key, renamed(inner, readMembers(forms, 'additionalProperties'))];
        return [back ? (originals.get(key) ?? key) : sentKey, renamed(inner, declared)];
      }),
    );
  }

  return renamedObject(args, expand(sent, [sent]));
}

/** The schemas with their alternatives and what they refer to. */
function expand(root: JsonObject, schemas: readonly JsonObject[]): JsonObject[] {
  const found = new Set<JsonObject>();
  const queue: JsonValue[] = [...schemas];
  for (let next = queue.pop(); next !== undefined; next = queue.pop()) {
    if (!isJsonObject(next) || found.has(next)) continue;
    found.add(next);
    const { $ref: reference, anyOf } = next;
    if (typeof reference === 'string') queue.push(resolveReference(root, reference) ?? null);
    if (Array.isArray(anyOf)) queue.push(...anyOf);
  }
  return [...found];
}

function readMembers(forms: readonly JsonObject[], keyword: string): JsonObject[] {
  return forms.flatMap((form) => readMember(form, keyword));
}

function readMember(holder: JsonValue | undefined, key: string): JsonObject[] {
  if (!isJsonObject(holder) || !Object.hasOwn(holder, key)) return [];
  const value = holder[key];
  return isJsonObject(value) ? [value] : [];
}

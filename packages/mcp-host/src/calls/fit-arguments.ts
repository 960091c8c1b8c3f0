import type { JsonObject, JsonValue, ParsedJson } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { checkArguments, checkStructured } from './check-arguments.ts';

/** Nested values deeper than this stay as they are. */
const MAX_DEPTH = 32;
/** The most subschemas that one value is compared with. */
const MAX_SCHEMAS = 50;

/** The most checks of one call. */
const MAX_CHECKS = 10_000;

/** Arguments as a tool gets them, and why they do not match its schema (null if they do). */
export type FittedArguments = { arguments: JsonObject; mismatch: string | null };

/**
 * Arguments that fail their schema are corrected in one way: a text whose place does not accept it is replaced by the
 * value it contains as JSON, if its place accepts that. Nothing changes unless everything then matches.
 *
 * @param parse reads such a text; the default accepts only valid JSON
 * @example
 * const schema = { type: 'object', properties: { days: { type: 'number' } } };
 * fitArguments(schema, { days: '3' }); // { arguments: { days: 3 }, mismatch: null }
 */
export function fitArguments(
  inputSchema: JsonObject,
  args: JsonObject,
  parse: (text: string) => ParsedJson = parseJson,
): FittedArguments {
  const mismatch = checkArguments(inputSchema, args);
  if (mismatch === null) return { arguments: args, mismatch };
  const decoded = new TextDecoding(inputSchema, parse).decode(args);
  return isJsonObject(decoded) && decoded !== args && checkArguments(inputSchema, decoded) === null
    ? { arguments: decoded, mismatch: null }
    : { arguments: args, mismatch };
}

class TextDecoding {
  /** Is placed in a larger schema, so that a part of it can be checked with the targets of its references. */
  readonly #root: JsonObject;
  readonly #dialect: JsonValue | undefined;
  readonly #parse: (text: string) => ParsedJson;
  readonly #whole = new Map<JsonObject, JsonObject>();
  #checks = 0;

  constructor(inputSchema: JsonObject, parse: (text: string) => ParsedJson) {
    const { $id: _id, ...rest } = inputSchema;
    this.#root = moved(rest, 0);
    this.#dialect = inputSchema['$schema'];
    this.#parse = parse;
  }

  /** The arguments with their texts decoded; the same object if nothing changed. */
  decode(args: JsonObject): JsonValue {
    return this.#decode(args, [this.#root], 0);
  }

  /** `schemas`: those of the value's place. */
  #decode(value: JsonValue, schemas: readonly JsonObject[], depth: number): JsonValue {
    if (depth > MAX_DEPTH || schemas.length === 0) return value;
    if (typeof value === 'string') return this.#decodeText(value, schemas, depth);
    if (typeof value !== 'object' || value === null) return value;
    const parts = this.#parts(schemas);
    const decoded = this.#decodeMembers(value, parts, depth);
    const hasAlternatives = parts.some(({ anyOf, oneOf }) => Array.isArray(anyOf) || Array.isArray(oneOf));
    if (!hasAlternatives || this.#accepts(schemas, decoded)) return decoded;
    // What is text in one alternative may be a list in the one that is meant.
    for (const part of parts) {
      const other = this.#decodeMembers(value, [part], depth);
      if (other !== value && this.#accepts(schemas, other)) return other;
    }
    return decoded;
  }

  #decodeMembers(value: JsonObject | JsonValue[], parts: readonly JsonObject[], depth: number): JsonValue {
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.#decode(item, itemSchemas(parts, index), depth + 1));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    const entries = Object.entries(value).map(
      ([name, child]) => [name, this.#decode(child, propertySchemas(parts, name), depth + 1)] as const,
    );
    return entries.every(([name, child]) => child === value[name]) ? value : Object.fromEntries(entries);
  }

  #decodeText(text: string, schemas: readonly JsonObject[], depth: number): JsonValue {
    if (this.#accepts(schemas, text) || hasRoundedNumber(text)) return text;
    const parsed = this.#parse(text);
    if (!parsed.ok || parsed.value === text) return text;
    const decoded = this.#decode(parsed.value, schemas, depth + 1);
    return this.#accepts(schemas, decoded) ? decoded : text;
  }

  #accepts(schemas: readonly JsonObject[], value: JsonValue): boolean {
    // Without a limit, many texts in a large schema would take long; what is left stays as it is.
    if (this.#checks > MAX_CHECKS) return true;
    this.#checks += schemas.length;
    return schemas.some((schema) => checkStructured(this.#withTargets(schema), value) === null);
  }

  #withTargets(schema: JsonObject): JsonObject {
    let whole = this.#whole.get(schema);
    if (whole === undefined) {
      const $schema = this.#dialect;
      const targets = refersElsewhere(schema) ? { $defs: { root: this.#root } } : {};
      whole = { ...($schema === undefined ? {} : { $schema }), ...targets, allOf: [schema] };
      this.#whole.set(schema, whole);
    }
    return whole;
  }

  /** The schemas with their targets, alternatives and conjunctions, each once. */
  #parts(schemas: readonly JsonObject[]): JsonObject[] {
    const found = new Set<JsonObject>();
    const waiting = [...schemas];
    for (let schema = waiting.pop(); schema !== undefined && found.size < MAX_SCHEMAS; schema = waiting.pop()) {
      if (found.has(schema)) continue;
      found.add(schema);
      const { allOf, anyOf, oneOf, then, else: otherwise, dependentSchemas, $ref } = schema;
      const target = typeof $ref === 'string' ? this.#target($ref) : undefined;
      const dependent = isJsonObject(dependentSchemas) ? Object.values(dependentSchemas) : [];
      waiting.push(...[target, allOf, anyOf, oneOf, then, otherwise, dependent].flat().filter(isJsonObject));
    }
    return [...found];
  }

  #target(reference: string): JsonObject | undefined {
    if (!reference.startsWith(ROOT)) return undefined;
    let at: JsonValue | undefined = this.#root;
    for (const name of reference.slice(ROOT.length).split('/').slice(1)) {
      at = isJsonObject(at) ? at[decodeName(name)] : Array.isArray(at) ? at[Number(name)] : undefined;
    }
    return isJsonObject(at) ? at : undefined;
  }
}

const ROOT = '#/$defs/root';

/** A copy whose references lead to the same places after it became `$defs.root` of another schema. */
function moved<T extends JsonValue>(schema: T, depth: number): T {
  if (depth > 2 * MAX_DEPTH) return schema;
  if (Array.isArray(schema)) return schema.map((each) => moved(each, depth + 1)) as T;
  if (!isJsonObject(schema)) return schema;
  return Object.fromEntries(
    Object.entries(schema).map(([name, part]) => [
      name,
      name === '$ref' && typeof part === 'string' && /^#(\/|$)/.test(part)
        ? `${ROOT}${part.slice(1)}`
        : moved(part, depth + 1),
    ]),
  ) as T;
}

function refersElsewhere(schema: JsonValue): boolean {
  if (Array.isArray(schema)) return schema.some(refersElsewhere);
  return isJsonObject(schema) && (typeof schema['$ref'] === 'string' || Object.values(schema).some(refersElsewhere));
}

function propertySchemas(parts: readonly JsonObject[], name: string): JsonObject[] {
  return parts.flatMap(({ properties, additionalProperties, unevaluatedProperties }) => {
    const isOwn = isJsonObject(properties) && Object.hasOwn(properties, name);
    return [isOwn ? properties[name] : (additionalProperties ?? unevaluatedProperties)].filter(isJsonObject);
  });
}

function itemSchemas(parts: readonly JsonObject[], index: number): JsonObject[] {
  return parts.flatMap(({ items, prefixItems, additionalItems, unevaluatedItems }) => {
    const listed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
    const others = Array.isArray(items) ? additionalItems : (items ?? unevaluatedItems);
    return [index < listed.length ? listed[index] : others].filter(isJsonObject);
  });
}

function decodeName(name: string): string {
  return decodeURIComponent(name.replaceAll(/%(?![\da-f]{2})/gi, '%25'))
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}

/** Texts, which may contain any digits, and other words. */
const WORDS = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[-+.\w]+/gs;

/** True if the text contains a number that JavaScript rounds, such as a long id. */
function hasRoundedNumber(text: string): boolean {
  if (!/\d{16}|\d[eE]\+?\d{3}/.test(text)) return false;
  return (text.match(WORDS) ?? []).some((word) =>
    /^[-+]?\d+$/.test(word)
      ? !Number.isSafeInteger(Number(word))
      : /^[-+]?[\d.]+e/i.test(word) && !Number.isFinite(Number(word)),
  );
}

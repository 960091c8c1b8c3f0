import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject, parseJson } from '@toolyard/protocol';
import { checkArguments, checkStructured } from './check-arguments.ts';

/** Nested values deeper than this stay as they are. */
const MAX_DEPTH = 32;
/** The most subschemas that one value is compared with. */
const MAX_SCHEMAS = 50;

/** The most checks of one call. */
const MAX_CHECKS = 1_000;

/** Arguments as a tool gets them, and why they do not match its schema (null if they do). */
export type FittedArguments = { arguments: JsonObject; misfit: string | null };

/**
 * Arguments that fail their schema are corrected in one way: a text whose place does not accept it is replaced by the
 * value it contains as JSON, if its place accepts that. Each text is decoded once, and only if everything then matches.
 */
export function fitArguments(inputSchema: JsonObject, args: JsonObject): FittedArguments {
  const misfit = checkArguments(inputSchema, args);
  if (misfit === null) return { arguments: args, misfit };
  const decoded = new TextDecoding(inputSchema).decode(args, [inputSchema], 0);
  return isJsonObject(decoded) && decoded !== args && checkArguments(inputSchema, decoded) === null
    ? { arguments: decoded, misfit: null }
    : { arguments: args, misfit };
}

class TextDecoding {
  readonly #root: JsonObject;
  /** With the definitions of the root, to which its references lead. */
  readonly #whole = new Map<JsonObject, JsonObject>();
  #checks = 0;

  constructor(root: JsonObject) {
    this.#root = root;
  }

  /** The value with its texts decoded; the same value if nothing changed. `schemas`: those of its place. */
  decode(value: JsonValue, schemas: readonly JsonObject[], depth: number): JsonValue {
    if (depth > MAX_DEPTH || schemas.length === 0) return value;
    if (typeof value === 'string') return this.#decodeText(value, schemas, depth);
    if (Array.isArray(value)) {
      const items = value.map((item, index) => this.decode(item, this.#itemSchemas(schemas, index), depth + 1));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isJsonObject(value)) return value;
    const entries = Object.entries(value).map(
      ([name, child]) => [name, this.decode(child, this.#propertySchemas(schemas, name), depth + 1)] as const,
    );
    return entries.every(([name, child]) => child === value[name]) ? value : Object.fromEntries(entries);
  }

  #decodeText(text: string, schemas: readonly JsonObject[], depth: number): JsonValue {
    if (this.#accepts(schemas, text)) return text;
    const parsed = parseJson(text);
    if (!parsed.ok || (typeof parsed.value === 'number' && !isExact(parsed.value, text))) return text;
    const { value } = parsed;
    const decoded = typeof value === 'string' ? value : this.decode(value, schemas, depth + 1);
    return this.#accepts(schemas, decoded) ? decoded : text;
  }

  #accepts(schemas: readonly JsonObject[], value: JsonValue): boolean {
    // Without a limit, many texts in a large schema would take long; what is left stays as it is.
    if (this.#checks > MAX_CHECKS) return true;
    this.#checks += schemas.length;
    return schemas.some((schema) => checkStructured(this.#withDefinitions(schema), value) === null);
  }

  #withDefinitions(schema: JsonObject): JsonObject {
    if (schema === this.#root) return schema;
    let whole = this.#whole.get(schema);
    if (whole === undefined) {
      const { $schema, $defs, definitions } = this.#root;
      const shared = Object.entries({ $schema, $defs, definitions }).filter(([, part]) => part !== undefined);
      whole = { ...(Object.fromEntries(shared) as JsonObject), allOf: [schema] };
      this.#whole.set(schema, whole);
    }
    return whole;
  }

  #propertySchemas(schemas: readonly JsonObject[], name: string): JsonObject[] {
    return this.#parts(schemas).flatMap(({ properties, additionalProperties }) => {
      const own = isJsonObject(properties) && Object.hasOwn(properties, name) ? properties[name] : additionalProperties;
      return isJsonObject(own) ? [own] : [];
    });
  }

  #itemSchemas(schemas: readonly JsonObject[], index: number): JsonObject[] {
    return this.#parts(schemas).flatMap(({ items, prefixItems }) => {
      const listed = Array.isArray(prefixItems) ? prefixItems : Array.isArray(items) ? items : [];
      const own = index < listed.length ? listed[index] : items;
      return isJsonObject(own) ? [own] : [];
    });
  }

  /** The schemas with their targets, alternatives and conjunctions, each once. */
  #parts(schemas: readonly JsonObject[]): JsonObject[] {
    const found = new Set<JsonObject>();
    const waiting = [...schemas];
    for (let schema = waiting.pop(); schema !== undefined && found.size < MAX_SCHEMAS; schema = waiting.pop()) {
      if (found.has(schema)) continue;
      found.add(schema);
      const { allOf, anyOf, oneOf, $ref } = schema;
      const target = typeof $ref === 'string' ? this.#target($ref) : undefined;
      waiting.push(...[target, allOf, anyOf, oneOf].flat().filter(isJsonObject));
    }
    return [...found];
  }

  #target(reference: string): JsonObject | undefined {
    if (!reference.startsWith('#')) return undefined;
    let at: JsonValue | undefined = this.#root;
    for (const name of reference.slice(1).split('/').slice(1)) {
      if (!isJsonObject(at)) return undefined;
      at = at[decodeName(name)];
    }
    return isJsonObject(at) ? at : undefined;
  }
}

function decodeName(name: string): string {
  return name.replaceAll('~1', '/').replaceAll('~0', '~');
}

/** False for a number that JavaScript rounds, such as a long id. */
function isExact(value: number, text: string): boolean {
  return Number.isFinite(value) && (!/^\s*-?\d+\s*$/.test(text) || Number.isSafeInteger(value));
}

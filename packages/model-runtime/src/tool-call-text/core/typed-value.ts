import { isJsonObject, parseJson, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { parseLenient } from './literal.ts';
import type { OfferedTools } from './offered-tools.ts';
import { typeOfJson } from '../../wire/json-values.ts';

/**
 * The value of an argument written as bare text, typed by the tool's schema. Strings keep every character. Text that
 * does not match its type stays a string, for the validation of the call to reject. Without a schema, text that parses
 * as JSON is JSON.
 */
export function typedValue(text: string, tools: OfferedTools, tool: string, name: string): JsonValue {
  const known = tools.argument(tool, name);
  const types = known === null ? null : readTypes(known.schema, known.root, 0);
  if (types === null) return inferred(text);
  for (const type of ORDER) {
    if (!types.has(type) || (types.has('string') && type !== 'null' && !NESTED.has(type))) continue;
    const value = readAs(text.trim(), type);
    if (value !== undefined) return value;
  }
  return text;
}

/** True if an argument's text may be JSON, in which case its end marker may occur inside a JSON string. */
export function mayBeJson(tools: OfferedTools, tool: string, name: string): boolean {
  const known = tools.argument(tool, name);
  const types = known === null ? null : readTypes(known.schema, known.root, 0);
  return types === null || types.has('object') || types.has('array');
}

const NESTED: ReadonlySet<string> = new Set(['object', 'array']);
/** Narrow types first. If the schema also allows a string, `5` is text: only null and nested values are parsed. */
const ORDER = ['null', 'boolean', 'integer', 'number', 'array', 'object'];
const MAX_REFERENCES = 8;

/** The types a schema allows; null if it does not say. */
function readTypes(schema: JsonValue, root: JsonObject, depth: number): Set<string> | null {
  if (!isJsonObject(schema) || depth > MAX_REFERENCES) return null;
  const { type, enum: values, $ref: reference, const: constant } = schema;
  if (typeof type === 'string') return new Set([type, ...(schema['nullable'] === true ? ['null'] : [])]);
  if (Array.isArray(type)) return new Set(type.filter((item) => typeof item === 'string'));
  if (Array.isArray(values)) return new Set(values.map(typeOfJson));
  if (constant !== undefined) return new Set([typeOfJson(constant)]);
  if (typeof reference === 'string') return readTypes(resolve(reference, root), root, depth + 1);

  const choices = [schema['anyOf'], schema['oneOf'], schema['allOf']].find((list) => Array.isArray(list));
  if (choices === undefined) return null;
  const all = new Set<string>();
  for (const choice of choices) {
    const types = readTypes(choice, root, depth + 1);
    if (types === null) return null;
    for (const item of types) all.add(item);
  }
  return all.size === 0 ? null : all;
}

function resolve(reference: string, root: JsonObject): JsonValue {
  if (!reference.startsWith('#/')) return null;
  let value: JsonValue = root;
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(value) || !Object.hasOwn(value, key)) return null;
    value = value[key] ?? null;
  }
  return value;
}

function readAs(text: string, type: string): JsonValue | undefined {
  switch (type) {
    case 'null':
      return text === 'null' || text === 'None' ? null : undefined;
    case 'boolean':
      return /^(true|false)$/i.test(text) ? text.toLowerCase() === 'true' : undefined;
    case 'integer':
    case 'number':
      return readNumber(text, type === 'integer');
    case 'array':
    case 'object': {
      const parsed = parseLenient(text);
      return parsed.ok && typeOfJson(parsed.value) === type ? parsed.value : undefined;
    }
    default:
      return undefined;
  }
}

function readNumber(text: string, isInteger: boolean): number | undefined {
  const parsed = parseJson(text);
  if (!parsed.ok || typeof parsed.value !== 'number') return undefined;
  return isInteger && !Number.isSafeInteger(parsed.value) ? undefined : parsed.value;
}

/** Without a schema: parses JSON other than strings. A number is parsed only if it serializes to the same text. */
function inferred(text: string): JsonValue {
  const trimmed = text.trim();
  const parsed = /^[[{]/.test(trimmed) ? parseLenient(trimmed) : parseJson(trimmed);
  if (!parsed.ok || typeof parsed.value === 'string') return text;
  if (typeof parsed.value === 'number' && String(parsed.value) !== trimmed) return text;
  return parsed.value;
}

import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

const KEY = 'x-mcp-header';
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/;
const TYPES = new Set<unknown>(['string', 'integer', 'boolean']);

/** Keywords with subschemas that a chain of `properties` does not reach. */
const OUT_OF_REACH = [
  'items',
  'contains',
  'additionalProperties',
  'unevaluatedProperties',
  'unevaluatedItems',
  'propertyNames',
  'not',
  'if',
  'then',
  'else',
];
const OUT_OF_REACH_LISTS = ['prefixItems', 'oneOf', 'anyOf', 'allOf', 'items'];
const OUT_OF_REACH_MAPS = ['patternProperties', 'dependentSchemas', '$defs', 'definitions'];

/**
 * Whether a tool wants arguments mirrored as HTTP headers (SEP-2243), and the fault if its declaration is invalid. The
 * specification lets clients reject such tools.
 */
export function scanHeaderParameters(inputSchema: JsonObject): 'none' | 'valid' | { fault: string } {
  const seen = new Set<string>();
  const fault = visit(inputSchema, '', true, seen);
  if (fault !== null) return { fault };
  return seen.size === 0 ? 'none' : 'valid';
}

function visit(schema: JsonValue | undefined, path: string, reachable: boolean, seen: Set<string>): string | null {
  if (!isJsonObject(schema)) return null;
  if (KEY in schema) {
    const where = path === '' ? 'The schema itself' : `The argument "${path}"`;
    const name = schema[KEY];
    if (!reachable || path === '') return `${where} must not have ${KEY}: it is not a plain property.`;
    if (typeof name !== 'string' || !TOKEN.test(name)) return `${where} has an ${KEY} that is not a valid header name.`;
    if (!TYPES.has(schema['type'])) return `${where} has an ${KEY} but is not a string, integer or boolean.`;
    if (seen.has(name.toLowerCase())) return `${where} has the same ${KEY} as another argument.`;
    seen.add(name.toLowerCase());
  }

  const properties = schema['properties'];
  if (isJsonObject(properties)) {
    for (const [name, child] of Object.entries(properties)) {
      const fault = visit(child, path === '' ? name : `${path}.${name}`, reachable, seen);
      if (fault !== null) return fault;
    }
  }
  for (const child of unreachableChildren(schema)) {
    const fault = visit(child, `${path}.*`, false, seen);
    if (fault !== null) return fault;
  }
  return null;
}

function* unreachableChildren(schema: JsonObject): Generator<JsonValue | undefined> {
  for (const key of OUT_OF_REACH) yield schema[key];
  for (const key of OUT_OF_REACH_LISTS) {
    const list = schema[key];
    if (Array.isArray(list)) yield* list;
  }
  for (const key of OUT_OF_REACH_MAPS) {
    const map = schema[key];
    if (isJsonObject(map)) yield* Object.values(map);
  }
}

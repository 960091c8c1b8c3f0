import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/**
 * The schema of what is sent. A property that is `readOnly` comes from the server only, so a request is never required to
 * contain it, wherever in the schema it is required: beside it, or in another part that applies to the same object.
 */
export function requestSchema(schema: JsonValue, inherited: ReadonlySet<string> = new Set()): JsonValue {
  if (Array.isArray(schema)) return schema.map((each) => requestSchema(each, inherited));
  if (!isJsonObject(schema)) return schema;
  const readOnly = new Set([...inherited, ...readOnlyIn(schema)]);
  return Object.fromEntries(
    Object.entries(schema).flatMap(([name, value]): [string, JsonValue][] => {
      if (name === 'required' && Array.isArray(value)) {
        const left = value.filter((each) => typeof each !== 'string' || !readOnly.has(each));
        return left.length === 0 ? [] : [[name, left]];
      }
      if (DATA.has(name)) return [[name, value]];
      // They apply to the same object; everything else is about another one.
      if (SAME.has(name)) return [[name, requestSchema(value, readOnly)]];
      if (!NAMED.has(name) || !isJsonObject(value)) return [[name, requestSchema(value)]];
      return [[name, Object.fromEntries(Object.entries(value).map(([key, each]) => [key, requestSchema(each)]))]];
    }),
  );
}

const DATA = new Set(['default', 'enum', 'const', 'example', 'examples']);
const SAME = new Set(['allOf', 'anyOf', 'oneOf', 'if', 'then', 'else']);
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);

/** The read-only properties of a schema, and of all schemas that it consists of. */
function readOnlyIn({ properties, allOf }: JsonObject): string[] {
  const own = isJsonObject(properties) ? Object.keys(properties).filter((name) => isReadOnly(properties[name])) : [];
  const others = Array.isArray(allOf) ? allOf.filter((each) => isJsonObject(each)) : [];
  return [...own, ...others.flatMap(readOnlyIn)];
}

function isReadOnly(schema: JsonValue | undefined): boolean {
  if (!isJsonObject(schema)) return false;
  const { readOnly, allOf } = schema;
  return readOnly === true || (Array.isArray(allOf) && allOf.some(isReadOnly));
}

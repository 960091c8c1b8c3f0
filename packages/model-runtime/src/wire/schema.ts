import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';

/** A schema whose objects allow no additional properties, as providers require for structured output. */
export function closedSchema(schema: JsonObject): JsonObject {
  const closed = close(schema);
  return isJsonObject(closed) ? closed : schema;
}

function close(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(close);
  if (!isJsonObject(value)) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, item]) => [key, close(item)]));
  const isObject = inner['type'] === 'object' && isJsonObject(inner['properties']);
  return isObject ? { ...inner, additionalProperties: false } : inner;
}

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

/** Keywords that providers reject at the top level of tool parameters. */
const CHOICES = ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const'];

/**
 * A tool's parameter schema without a top-level choice, which providers reject: the union of all properties; required
 * is what every alternative requires. The original schema is checked before the call.
 */
export function withoutTopChoice(schema: JsonObject): JsonObject {
  if (!CHOICES.some((key) => schema[key] !== undefined)) return schema;
  const rest = Object.fromEntries(Object.entries(schema).filter(([key]) => !CHOICES.includes(key)));
  const either = [...objectsIn(schema['anyOf']), ...objectsIn(schema['oneOf'])];
  const all = [...objectsIn(schema['allOf']), rest];
  const alternatives = either
    .slice(1)
    .reduce((common, form) => common.filter((name) => requiredOf(form).includes(name)), requiredOf(either[0] ?? {}));
  const required = [...new Set([...all.flatMap(requiredOf), ...alternatives])];
  return {
    ...rest,
    type: 'object',
    properties: Object.assign({}, ...[...either, ...all].map(propertiesOf)) as JsonObject,
    ...(required.length === 0 ? {} : { required }),
  };
}

function objectsIn(value: JsonValue | undefined): JsonObject[] {
  return Array.isArray(value) ? value.filter(isJsonObject) : [];
}

function propertiesOf(schema: JsonObject): JsonObject {
  return isJsonObject(schema['properties']) ? schema['properties'] : {};
}

function requiredOf(schema: JsonObject): string[] {
  const required = schema['required'];
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

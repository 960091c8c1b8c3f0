import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

/** Members of a schema whose values are not schemas. */
const VALUES = new Set(['default', 'example', 'examples', 'enum', 'const', 'required', 'discriminator', 'xml']);
/** Members whose keys are names, not members. */
const NAMED = new Set(['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions']);
/** Texts about a schema, which stay at its top. */
const ABOUT = ['title', 'description', 'default', 'deprecated', 'readOnly', 'writeOnly'];

/**
 * A schema of OpenAPI 3.0 as JSON Schema: what its own keywords mean is written with those of JSON Schema. `nullable`
 * accepts null beside everything else that the schema accepts; an exclusive limit is a flag beside the limit.
 */
export function fromOpenApi30(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(fromOpenApi30);
  if (!isJsonObject(schema)) return schema;
  const { nullable, 'x-nullable': xNullable, ...rest } = schema;
  const members = Object.entries(rest).map(([name, value]): [string, JsonValue] => {
    if (VALUES.has(name)) return [name, value];
    if (NAMED.has(name) && isJsonObject(value)) return [name, mapped(value)];
    return [name, fromOpenApi30(value)];
  });
  const plain = withLimits(Object.fromEntries(members));
  return nullable === true || xNullable === true ? orNull(plain) : plain;
}

function mapped(schemas: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(schemas).map(([name, schema]) => [name, fromOpenApi30(schema)]));
}

function withLimits(schema: JsonObject): JsonObject {
  const limits = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' } as const;
  let changed = schema;
  for (const [limit, flag] of Object.entries(limits)) {
    if (typeof changed[flag] !== 'boolean') continue;
    const { [limit]: value, [flag]: isExclusive, ...rest } = changed;
    changed = value === undefined ? rest : { ...rest, [isExclusive === true ? flag : limit]: value };
  }
  return changed;
}

function orNull(schema: JsonObject): JsonObject {
  const { type, enum: choices } = schema;
  const isPlain = !['allOf', 'anyOf', 'oneOf', 'not', 'const'].some((name) => name in schema);
  if (isPlain && (typeof type === 'string' || type === undefined)) {
    return {
      ...schema,
      ...(typeof type === 'string' ? { type: [type, 'null'] } : {}),
      ...(Array.isArray(choices) && !choices.includes(null) ? { enum: [...choices, null] } : {}),
    };
  }
  const about = Object.fromEntries(
    ABOUT.flatMap((name) => (name in schema ? [[name, schema[name] ?? null] as const] : [])),
  );
  const own = Object.fromEntries(Object.entries(schema).filter(([name]) => !ABOUT.includes(name)));
  return { ...about, anyOf: [own, { type: 'null' }] };
}

import { Validator, type Schema } from '@cfworker/json-schema';
import { compileSchemaCheck, isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';

/**
 * Null if the value fits the JSON Schema, else why it does not, for a model to read. Patterns and formats are left to the
 * author of the schema, and so are references to other documents.
 */
export function checkSchema(schema: JsonObject, value: JsonValue): string | null {
  const local = withoutRemoteReferences(schema);
  const check = compileSchemaCheck(isJsonObject(local) ? local : schema, (cleaned) => {
    const validator = new Validator(cleaned as Schema, '2020-12', false);
    return (candidate) => {
      const { valid, errors } = validator.validate(candidate);
      return valid ? null : errors.map(({ instanceLocation, error }) => `${instanceLocation}: ${error}`).join('; ');
    };
  });
  return check(value);
}

/** The validator rejects a schema that refers to an unknown document as a whole. */
function withoutRemoteReferences(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutRemoteReferences);
  if (!isJsonObject(schema)) return schema;
  const kept = Object.entries(schema).filter(
    ([key, value]) => key !== '$ref' || typeof value !== 'string' || value.startsWith('#'),
  );
  return Object.fromEntries(
    kept.map(([key, value]) => [key, key === 'enum' || key === 'const' ? value : withoutRemoteReferences(value)]),
  );
}

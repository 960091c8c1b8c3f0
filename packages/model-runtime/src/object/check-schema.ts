import { Validator, type Schema } from '@cfworker/json-schema';
import { compileSchemaCheck, isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';

/**
 * Null if the value matches the JSON Schema, else the reason, phrased for a model. `pattern`, `format` and references
 * to other documents are not checked.
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

/** The validator rejects every schema that refers to an unknown document. */
function withoutRemoteReferences(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutRemoteReferences);
  if (!isJsonObject(schema)) return schema;
  const entries = Object.entries(schema).filter(
    ([key, value]) => key !== '$ref' || typeof value !== 'string' || value.startsWith('#'),
  );
  return Object.fromEntries(
    entries.map(([key, value]) => [key, key === 'enum' || key === 'const' ? value : withoutRemoteReferences(value)]),
  );
}

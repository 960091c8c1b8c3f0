import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import type { JsonObject, JsonValue, SchemaCheck, SchemaValidator } from '@toolyard/protocol';
import { compileSchemaCheck } from '@toolyard/protocol';

const checks = new WeakMap<JsonObject, SchemaCheck>();

/**
 * Checks arguments against a schema. Returns null if they match, else the reason, written for the model. Patterns and
 * formats are left to the server, and so is everything if its schema cannot be used.
 *
 * @example
 * const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] };
 * checkArguments(schema, { city: 'Tokyo' }); // null
 */
export function checkArguments(inputSchema: JsonObject, args: JsonObject): string | null {
  return checkStructured(inputSchema, args);
}

/** {@link checkArguments} for any value, such as a structured result. */
export function checkStructured(schema: JsonObject, value: JsonValue): string | null {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compileSchemaCheck(schema, createValidator);
    checks.set(schema, check);
  }
  return check(value);
}

function createValidator(schema: JsonValue): SchemaValidator {
  const validate = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(schema as JsonSchemaType);
  return (value) => {
    const result = validate(value);
    return result.valid ? null : result.errorMessage;
  };
}

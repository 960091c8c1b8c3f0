import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import type { JsonObject, JsonValue, SchemaCheck, SchemaValidator } from '@toolyard/protocol';
import { compileSchemaCheck } from '@toolyard/protocol';

const checks = new WeakMap<JsonObject, SchemaCheck>();

/**
 * Null if the arguments fit the schema, else why they do not, for the model to read. The server checks patterns and
 * formats itself, and everything else if its schema cannot be used here.
 */
export function checkArguments(inputSchema: JsonObject, args: JsonObject): string | null {
  return checkStructured(inputSchema, args);
}

/** The same for any value, such as the structured result of a tool. */
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

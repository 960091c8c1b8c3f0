import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';

const LONGEST_ACCOUNT = 1_000;

const MAPS_OF_SCHEMAS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const NOT_SCHEMAS = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);
/**
 * `pattern` would run an expression the server wrote, for as long as it likes; `format` is only a note since 2019-09.
 * The server checks both itself.
 */
const LEFT_OUT = new Set(['pattern', 'patternProperties', 'format', 'uniqueItems']);

/**
 * How many schemas may be visited in one check. Schemas that refer to themselves, or to each other in twos, would
 * otherwise take for ever; a check that is given up lets everything pass.
 */
const MOST_VISITS = 50_000;

const TYPES = new Set<JsonValue>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

type Check = (value: JsonValue) => string | null;

const checks = new WeakMap<JsonObject, Check>();

/**
 * Null if the arguments fit the schema, else what does not, for the model to read. Nothing is fetched and no pattern
 * of the server is run; a schema that cannot be used lets everything pass, because the server checks as well.
 */
export function checkArguments(inputSchema: JsonObject, args: JsonObject): string | null {
  return checkStructured(inputSchema, args);
}

/** The same for any value, such as what a tool gives back. */
export function checkStructured(schema: JsonObject, value: JsonValue): string | null {
  let check = checks.get(schema);
  if (check === undefined) {
    check = compile(schema);
    checks.set(schema, check);
  }
  return check(value);
}

function compile(given: JsonObject): Check {
  try {
    const budget = { visits: 0 };
    const schema = counted(withoutPatterns(given), budget) as JsonSchemaType;
    const validate = new CfWorkerJsonSchemaValidator({ shortcircuit: false }).getValidator(schema);
    return (value) => {
      budget.visits = 0;
      try {
        const result = validate(value);
        return result.valid ? null : inWords(result.errorMessage).slice(0, LONGEST_ACCOUNT);
      } catch {
        return null;
      }
    };
  } catch {
    return () => null;
  }
}

/** The validator tells of a fault at every level above it, and writes places as `#/a/b`. */
function inWords(account: string): string {
  const faults = account.split(/; (?=#)/);
  const innermost = faults.filter((fault) => !/ (?:does|did) not match schema\.$/.test(fault));
  return (innermost.length > 0 ? innermost : faults)
    .map((fault) => fault.replace(/^#: /, '').replace(/^#\/([^:]*): /, '"$1": '))
    .join(' ');
}

/**
 * Makes every schema count when it is looked at: the validator reads `$ref` of each it visits, and has no limit of its
 * own.
 */
function counted(schema: JsonValue, budget: { visits: number }): JsonValue {
  if (Array.isArray(schema)) return schema.map((each) => counted(each, budget));
  if (!isJsonObject(schema)) return schema;
  const copy: JsonObject = Object.fromEntries(
    Object.entries(schema).map(([key, child]) => [key, counted(child, budget)]),
  );
  const reference = copy['$ref'];
  Object.defineProperty(copy, '$ref', {
    enumerable: reference !== undefined,
    get() {
      if (++budget.visits > MOST_VISITS) throw new Error('The schema takes too long to check.');
      return reference;
    },
  });
  return copy;
}

/** A copy of a schema without what would run the server's own expressions. Arguments of such names are kept. */
export function withoutPatterns(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isJsonObject(schema)) return schema;
  // What a pattern would have allowed is now unknown, so nothing beside the named properties can be forbidden.
  const isOpen = 'patternProperties' in schema;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (LEFT_OUT.has(key)) continue;
    if (isOpen && (key === 'additionalProperties' || key === 'unevaluatedProperties')) continue;
    // Types that do not exist ("any" is a common one) would refuse every value.
    if (key === 'type' && ![value].flat().every((type) => TYPES.has(type))) continue;
    if (NOT_SCHEMAS.has(key)) kept[key] = value;
    else if (MAPS_OF_SCHEMAS.has(key) && isJsonObject(value)) kept[key] = mapOfSchemas(value);
    else kept[key] = withoutPatterns(value);
  }
  return kept;
}

function mapOfSchemas(map: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(map).map(([name, schema]) => [name, withoutPatterns(schema)]));
}

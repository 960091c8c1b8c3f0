import type { JsonObject, JsonValue } from './json.ts';
import { isJsonObject } from './json.ts';

const MAX_ERROR_LENGTH = 1_000;

const MAPS_OF_SCHEMAS = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
const NOT_SCHEMAS = new Set(['enum', 'const', 'default', 'examples', 'required', 'dependentRequired']);
/**
 * `pattern` would run a regular expression of the schema's author without a time limit; `format` is only an annotation
 * since 2019-09.
 */
const IGNORED_KEYWORDS = new Set(['pattern', 'patternProperties', 'format', 'uniqueItems']);

/**
 * How many schemas one check may visit. Schemas that refer to themselves or to each other would otherwise never end; a
 * check that exceeds this accepts the value.
 */
const MAX_VISITS = 50_000;

const TYPES = new Set<JsonValue>(['string', 'number', 'integer', 'boolean', 'object', 'array', 'null']);

/** Null if the value is valid, otherwise the errors as text for a model. */
export type SchemaCheck = (value: JsonValue) => string | null;

/**
 * Null if the value is valid, otherwise errors of the form `#/path: message`, joined by `; `, as
 * `@cfworker/json-schema` reports them.
 */
export type SchemaValidator = (value: JsonValue) => string | null;

/**
 * Compiles a JSON Schema of a third party with a validator. Nothing is fetched and no pattern is run; a schema that
 * cannot be used accepts every value.
 */
export function compileSchemaCheck(
  schema: JsonObject,
  createValidator: (schema: JsonValue) => SchemaValidator,
): SchemaCheck {
  try {
    const budget = { visits: 0 };
    const validate = createValidator(counted(withoutPatterns(schema), budget));
    return (value) => {
      budget.visits = 0;
      try {
        const errors = validate(value);
        return errors === null ? null : readable(errors).slice(0, MAX_ERROR_LENGTH);
      } catch {
        return null;
      }
    };
  } catch {
    return () => null;
  }
}

/** The validator reports an error again at every level above it, and writes paths as `#/a/b`. */
function readable(errors: string): string {
  const all = errors.split(/; (?=#)/);
  const innermost = all.filter((error) => !/ (?:does|did) not match schema\.$/.test(error));
  return (innermost.length > 0 ? innermost : all)
    .map((error) => error.replace(/^#: /, '').replace(/^#\/([^:]*): /, '"$1": '))
    .join(' ');
}

/** Counts visits: the validator reads `$ref` of each schema that it visits, and has no limit of its own. */
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
      if (++budget.visits > MAX_VISITS) throw new Error('The schema takes too long to check.');
      return reference;
    },
  });
  return copy;
}

/** A copy of a schema without the keywords that run regular expressions. Properties of such names are kept. */
function withoutPatterns(schema: JsonValue): JsonValue {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (!isJsonObject(schema)) return schema;
  // The properties that the pattern allowed are now unknown, so none can be forbidden.
  const isOpen = 'patternProperties' in schema;
  const kept: JsonObject = {};
  for (const [key, value] of Object.entries(schema)) {
    if (IGNORED_KEYWORDS.has(key)) continue;
    if (isOpen && (key === 'additionalProperties' || key === 'unevaluatedProperties')) continue;
    // Types that do not exist ("any" is a common one) would reject every value.
    if (key === 'type' && ![value].flat().every((type) => TYPES.has(type))) continue;
    // Servers written in Go send null for what is absent; only as a value it means something.
    if (value === null && key !== 'const' && key !== 'default') continue;
    if (NOT_SCHEMAS.has(key)) kept[key] = value;
    else if (MAPS_OF_SCHEMAS.has(key) && isJsonObject(value)) kept[key] = mapOfSchemas(value);
    else kept[key] = withoutPatterns(value);
  }
  return kept;
}

function mapOfSchemas(map: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(map).map(([name, schema]) => [name, schema === null ? true : withoutPatterns(schema)]),
  );
}

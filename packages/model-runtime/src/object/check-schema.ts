import { canonicalJson, isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';

/** Deepest nesting that is followed: a schema may refer to itself. */
const MAX_DEPTH = 64;

/**
 * Null where a value fits a JSON Schema, else what does not, for a model to read. Knows what schemas of answers are
 * made of; patterns and formats are left to whoever wrote the schema.
 */
export function checkSchema(schema: JsonObject, value: JsonValue): string | null {
  return check(schema, value, '', schema, 0);
}

function check(
  schema: JsonValue | undefined,
  value: JsonValue,
  path: string,
  root: JsonObject,
  depth: number,
): string | null {
  if (schema === false) return `${nameOf(path)} is not permitted`;
  if (!isJsonObject(schema) || depth > MAX_DEPTH) return null;
  const inner = (part: JsonValue | undefined, at: JsonValue, where: string) => check(part, at, where, root, depth + 1);
  const reference = schema['$ref'];
  if (typeof reference === 'string') return inner(resolve(reference, root), value, path);

  const types = typeof schema['type'] === 'string' ? [schema['type']] : schema['type'];
  if (Array.isArray(types) && !types.some((type) => isOfType(value, type))) {
    return `${nameOf(path)} should be of type ${JSON.stringify(schema['type'])}`;
  }
  if (Array.isArray(schema['enum']) && !schema['enum'].some((option) => isSame(option, value))) {
    return `${nameOf(path)} should be one of ${JSON.stringify(schema['enum'])}`;
  }
  if (schema['const'] !== undefined && !isSame(schema['const'], value)) {
    return `${nameOf(path)} should be ${JSON.stringify(schema['const'])}`;
  }
  const bound = checkBounds(schema, value, path);
  if (bound !== null) return bound;

  for (const part of listOf(schema['allOf'])) {
    const misfit = inner(part, value, path);
    if (misfit !== null) return misfit;
  }
  for (const key of ['anyOf', 'oneOf']) {
    const options = listOf(schema[key]);
    if (options.length > 0 && options.every((option) => inner(option, value, path) !== null)) {
      return `${nameOf(path)} fits none of the forms it may have`;
    }
  }
  if (isJsonObject(value)) return checkObject(schema, value, path, inner);
  return Array.isArray(value) ? checkList(schema, value, path, inner) : null;
}

type Inner = (schema: JsonValue | undefined, value: JsonValue, path: string) => string | null;

function checkObject(schema: JsonObject, value: JsonObject, path: string, inner: Inner): string | null {
  for (const name of listOf(schema['required'])) {
    if (typeof name === 'string' && !Object.hasOwn(value, name)) return `${nameOf(`${path}/${name}`)} is missing`;
  }
  const properties = isJsonObject(schema['properties']) ? schema['properties'] : {};
  for (const [name, item] of Object.entries(value)) {
    const known = Object.hasOwn(properties, name) ? properties[name] : schema['additionalProperties'];
    const misfit = inner(known, item, `${path}/${name}`);
    if (misfit !== null) return misfit;
  }
  return null;
}

function checkList(schema: JsonObject, value: readonly JsonValue[], path: string, inner: Inner): string | null {
  const first = listOf(schema['prefixItems']);
  for (const [at, item] of value.entries()) {
    const misfit = inner(first[at] ?? schema['items'], item, `${path}/${at}`);
    if (misfit !== null) return misfit;
  }
  return null;
}

function checkBounds(schema: JsonObject, value: JsonValue, path: string): string | null {
  const size =
    typeof value === 'string' || Array.isArray(value) ? value.length : typeof value === 'number' ? value : null;
  if (size === null) return null;
  const names =
    typeof value === 'string'
      ? (['minLength', 'maxLength'] as const)
      : Array.isArray(value)
        ? (['minItems', 'maxItems'] as const)
        : (['minimum', 'maximum'] as const);
  const [least, most] = [schema[names[0]], schema[names[1]]];
  const what = typeof value === 'number' ? nameOf(path) : `the length of ${nameOf(path)}`;
  if (typeof least === 'number' && size < least) return `${what} should be at least ${least}`;
  return typeof most === 'number' && size > most ? `${what} should be at most ${most}` : null;
}

function isOfType(value: JsonValue, type: JsonValue): boolean {
  switch (type) {
    case 'object':
      return isJsonObject(value);
    case 'array':
      return Array.isArray(value);
    case 'null':
      return value === null;
    case 'integer':
      return Number.isInteger(value);
    default:
      return typeof value === type;
  }
}

function isSame(a: JsonValue, b: JsonValue): boolean {
  return canonicalJson(a) === canonicalJson(b);
}

/** What a reference within the schema points at; anything else permits all. */
function resolve(reference: string, root: JsonObject): JsonValue | undefined {
  if (!reference.startsWith('#')) return undefined;
  let at: JsonValue | undefined = root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isJsonObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}

function listOf(value: JsonValue | undefined): readonly JsonValue[] {
  return Array.isArray(value) ? value : [];
}

function nameOf(path: string): string {
  return path === '' ? 'the value' : `"${path.slice(1)}"`;
}

import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { canonicalJson, isJsonObject } from '@toolyard/protocol';

/** How a value of a JSON Schema is edited. `json`: no form can hold it. */
export type SchemaField = { title?: string; description?: string } &
  /** `secret`: masked while it is typed. */
  (
    | { kind: 'text'; long: boolean; secret?: true }
    | { kind: 'number' | 'integer' | 'boolean' | 'null' | 'json' }
    | { kind: 'choice'; options: readonly { value: JsonValue; label: string }[] }
    | { kind: 'object'; properties: readonly SchemaProperty[] }
    | { kind: 'array'; items: JsonObject }
    | { kind: 'variants'; variants: readonly SchemaVariant[] }
  );
type SchemaProperty = { name: string; schema: JsonObject; required: boolean };
type SchemaVariant = { label: string; schema: JsonObject };

const MAX_REFERENCES = 20;
const MAX_PROPERTIES = 100;
const MAX_VARIANTS = 30;
/** Deeper values are edited as JSON. A schema may refer to itself. */
const MAX_DEPTH = 8;
/** Texts that may be longer than this get a text area, in characters. */
const ONE_LINE = 200;

/** The form field for a schema. `root` is the schema with the definitions; `depth` counts from it. */
export function toField(schema: JsonValue, root: JsonObject, depth = 0): SchemaField {
  const resolved = resolve(schema, root);
  const { title, description } = resolved;
  return {
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...readKind(resolved, root, depth),
  };
}

/** The value of a new form: defaults, constants, and objects that are required. */
export function initialValue(schema: JsonValue, root: JsonObject, depth = 0): JsonValue | undefined {
  const resolved = resolve(schema, root);
  if (resolved['default'] !== undefined) return resolved['default'];
  if (resolved['const'] !== undefined) return resolved['const'];
  const field = readKind(resolved, root, depth);
  if (field.kind === 'array') return [];
  if (field.kind === 'null') return null;
  if (field.kind === 'variants') return initialValue(field.variants[0]?.schema ?? {}, root, depth + 1);
  if (field.kind !== 'object') return undefined;
  const value: JsonObject = {};
  for (const { name, schema: property, required } of field.properties) {
    const hasDefault = resolve(property, root)['default'] !== undefined;
    const initial = required || hasDefault ? initialValue(property, root, depth + 1) : undefined;
    if (initial !== undefined) value[name] = initial;
  }
  return value;
}

/** The index of the variant that fits a value best; constants and types decide. */
export function findVariant(
  value: JsonValue | undefined,
  variants: readonly SchemaVariant[],
  root: JsonObject,
): number {
  if (value === undefined) return 0;
  const scores = variants.map(({ schema }) => getScore(value, resolve(schema, root), root));
  return Math.max(0, scores.indexOf(Math.max(...scores)));
}

/** References to other documents are not followed, and none is fetched. */
function resolve(schema: JsonValue, root: JsonObject): JsonObject {
  let current = isJsonObject(schema) ? schema : {};
  for (let count = 0; typeof current['$ref'] === 'string'; count += 1) {
    const { $ref: reference, ...rest } = current;
    const target = count < MAX_REFERENCES && typeof reference === 'string' ? pointedAt(root, reference) : undefined;
    current = { ...target, ...rest };
    if (target === undefined) break;
  }
  const parts = current['allOf'];
  if (!Array.isArray(parts) || parts.length > MAX_VARIANTS) return current;
  const { allOf: _parts, ...own } = current;
  // Parts that refer to the whole would never end.
  return parts.reduce<JsonObject>((all, part) => merged(all, isJsonObject(part) ? referred(part, root) : {}), own);
}

function referred(schema: JsonObject, root: JsonObject): JsonObject {
  const { $ref: reference, ...rest } = schema;
  return typeof reference === 'string' ? { ...pointedAt(root, reference), ...rest } : schema;
}

function pointedAt(root: JsonObject, reference: string): JsonObject | undefined {
  if (reference !== '#' && !reference.startsWith('#/')) return undefined;
  let target: JsonValue | undefined = root;
  for (const step of reference.split('/').slice(1)) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    if (!isJsonObject(target) || !Object.hasOwn(target, key)) return undefined;
    target = target[key];
  }
  return isJsonObject(target) ? target : undefined;
}

function merged(one: JsonObject, other: JsonObject): JsonObject {
  const properties = [one['properties'], other['properties']].filter(isJsonObject);
  const required = [one['required'], other['required']].flatMap((list) => (Array.isArray(list) ? list : []));
  return {
    ...one,
    ...other,
    ...(properties.length === 0 ? {} : { properties: Object.assign({}, ...properties) as JsonObject }),
    ...(required.length === 0 ? {} : { required: [...new Set(required)] }),
  };
}

type Kind = SchemaField extends infer Field ? (Field extends { kind: string } ? Omit<Field, 'title'> : never) : never;

function readKind(schema: JsonObject, root: JsonObject, depth: number): Kind {
  if (depth > MAX_DEPTH) return { kind: 'json' };
  const options = readOptions(schema, root);
  if (options !== null) return { kind: 'choice', options };
  const variants = readVariants(schema, root);
  if (variants !== null) return { kind: 'variants', variants };
  switch (readType(schema)) {
    case 'string':
      return {
        kind: 'text',
        long: typeof schema['maxLength'] === 'number' && schema['maxLength'] > ONE_LINE,
        ...(schema['format'] === 'password' ? { secret: true } : {}),
      };
    case 'number':
      return { kind: 'number' };
    case 'integer':
      return { kind: 'integer' };
    case 'boolean':
      return { kind: 'boolean' };
    case 'null':
      return { kind: 'null' };
    case 'object':
      return readObjectField(schema);
    case 'array':
      // Tuples have no form.
      return isJsonObject(schema['items']) ? { kind: 'array', items: schema['items'] } : { kind: 'json' };
    default:
      return { kind: 'json' };
  }
}

function readObjectField(schema: JsonObject): Kind {
  const { properties } = schema;
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const names = isJsonObject(properties) ? Object.keys(properties) : [];
  // Without properties it is a map of names the author does not know.
  if (!isJsonObject(properties) || names.length === 0 || names.length > MAX_PROPERTIES) return { kind: 'json' };
  return {
    kind: 'object',
    properties: names.map((name) => {
      const property = properties[name];
      return { name, schema: isJsonObject(property) ? property : {}, required: required.has(name) };
    }),
  };
}

function readOptions(schema: JsonObject, root: JsonObject): { value: JsonValue; label: string }[] | null {
  if (schema['const'] !== undefined) return [{ value: schema['const'], label: toText(schema['const']) }];
  if (Array.isArray(schema['enum'])) {
    const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
    return schema['enum'].map((value, at) => {
      const name = names[at];
      return { value, label: typeof name === 'string' ? name : toText(value) };
    });
  }
  const alternatives = (listAlternatives(schema) ?? []).map((alternative) => resolve(alternative, root));
  if (alternatives.length === 0 || !alternatives.every((each) => each['const'] !== undefined)) return null;
  return alternatives.map(({ const: value = null, title }) => ({
    value,
    label: typeof title === 'string' ? title : toText(value),
  }));
}

function readVariants(schema: JsonObject, root: JsonObject): SchemaVariant[] | null {
  const { oneOf: _oneOf, anyOf: _anyOf, title: _title, description: _description, ...own } = schema;
  const alternatives = listAlternatives(schema);
  if (alternatives !== null) {
    return alternatives.map((alternative, index) => {
      const whole = merged(own, resolve(alternative, root));
      return { label: getLabel(whole, index), schema: whole };
    });
  }
  const types = schema['type'];
  if (!Array.isArray(types) || types.length < 2) return null;
  return types.map((type, index) => ({ label: getLabel({ type }, index), schema: { ...own, type } }));
}

function listAlternatives(schema: JsonObject): JsonValue[] | null {
  const list = [schema['oneOf'], schema['anyOf']].find((each) => Array.isArray(each) && each.length > 0);
  return Array.isArray(list) && list.length <= MAX_VARIANTS ? list : null;
}

/** Its title, the constant that tells it from the others, or its type. */
function getLabel(schema: JsonObject, index: number): string {
  if (typeof schema['title'] === 'string') return schema['title'];
  const properties = isJsonObject(schema['properties']) ? Object.values(schema['properties']) : [];
  const constant = properties.find((property) => isJsonObject(property) && property['const'] !== undefined);
  if (isJsonObject(constant)) return toText(constant['const'] ?? null);
  const type = readType(schema);
  return type === undefined ? String(index + 1) : type === 'object' ? `object ${String(index + 1)}` : type;
}

function readType(schema: JsonObject): string | undefined {
  const { type } = schema;
  if (typeof type === 'string') return type;
  if (Array.isArray(type) && type.length === 1 && typeof type[0] === 'string') return type[0];
  if (isJsonObject(schema['properties'])) return 'object';
  return isJsonObject(schema['items']) ? 'array' : undefined;
}

function toText(value: JsonValue): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function getScore(value: JsonValue, schema: JsonObject, root: JsonObject): number {
  if (schema['const'] !== undefined) return isSame(schema['const'], value) ? 100 : -100;
  if (Array.isArray(schema['enum'])) return schema['enum'].some((each) => isSame(each, value)) ? 100 : -100;
  const type = readType(schema);
  if (type !== undefined && !hasType(value, type)) return -100;
  if (!isJsonObject(value) || !isJsonObject(schema['properties'])) return type === undefined ? 0 : 10;
  const { properties } = schema;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  const missing = required.filter((name) => typeof name === 'string' && !Object.hasOwn(value, name)).length;
  return Object.entries(value).reduce((sum, [name, each]) => {
    if (!Object.hasOwn(properties, name)) return sum - 1;
    const property = resolve(properties[name] ?? {}, root);
    const isConstant = property['const'] !== undefined;
    return sum + (isConstant ? (isSame(property['const'] ?? null, each) ? 50 : -50) : 1);
  }, 10 - missing);
}

function isSame(one: JsonValue, other: JsonValue): boolean {
  return canonicalJson(one) === canonicalJson(other);
}

function hasType(value: JsonValue, type: string): boolean {
  switch (type) {
    case 'integer':
      return typeof value === 'number' && Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return isJsonObject(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

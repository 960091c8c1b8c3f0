import type { JsonObject, JsonValue } from '@toolyard/protocol';

export const ANY_TYPES = ['string', 'number', 'boolean', 'object', 'array', 'null'] as const;

/** Names of types that servers use instead of those of JSON Schema. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  str: 'string',
  text: 'string',
  int: 'integer',
  long: 'integer',
  float: 'number',
  double: 'number',
  bool: 'boolean',
  dict: 'object',
  map: 'object',
  list: 'array',
  none: 'null',
};

/** Keywords that only make sense for one type. */
const HINTS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The types a value may have: the declared ones, otherwise those its keywords imply. Empty: any. */
export function typesOf(schema: JsonObject): string[] {
  const { type } = schema;
  const declared = (Array.isArray(type) ? type : [type]).flatMap((each) => typeNamed(each));
  const types = new Set(declared.length > 0 ? declared : implied(schema));
  if (types.size > 0 && schema['nullable'] === true) types.add('null');
  if (types.has('number')) types.delete('integer');
  return [...types];
}

function typeNamed(value: JsonValue | undefined): string[] {
  if (typeof value !== 'string') return [];
  const name = value.toLowerCase();
  const known = OTHER_NAMES[name] ?? name;
  return known === 'integer' || ANY_TYPES.some((each) => each === known) ? [known] : [];
}

function implied(schema: JsonObject): string[] {
  const values = enumOf(schema);
  if (values !== null && values.length > 0) return values.map(typeOfValue);
  const hint = HINTS.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined));
  return hint === undefined ? [] : [hint[0]];
}

function typeOfValue(value: JsonValue): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

function enumOf(schema: JsonObject): readonly JsonValue[] | null {
  if (schema['const'] !== undefined) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
}

/** Longest list of values that OpenAI accepts: https://platform.openai.com/docs/guides/structured-outputs */
const MAX_VALUES = 500;

/** Longest list of values that is written in words, in characters. */
const MAX_WORDS = 300;

/**
 * The values of `enum` or `const` that fit the types. A list without a value that cannot be sent would forbid it: such
 * values are `omitted`, as JSON, and none is listed.
 */
export function valuesOf(
  schema: JsonObject,
  types: readonly string[],
  accepted: 'scalars' | 'words',
): { listed: readonly JsonValue[]; omitted: string } {
  const values = enumOf(schema) ?? [];
  const fits = (value: JsonValue): boolean =>
    types.some((type) => type === typeOfValue(value) || (type === 'integer' && Number.isInteger(value)));
  const isAccepted = (value: JsonValue): boolean =>
    accepted === 'scalars'
      ? typeof value !== 'object' || value === null
      : typeof value === 'number' || (typeof value === 'string' && value !== '');
  const fitting = [...new Set(values.filter(fits))];
  const listed = fitting.filter(isAccepted);
  if (listed.length === fitting.length && listed.length <= MAX_VALUES) return { listed, omitted: '' };
  const text = fitting.map((value) => JSON.stringify(value)).join(', ');
  return { listed: [], omitted: text.length <= MAX_WORDS ? text : `${text.slice(0, MAX_WORDS)}…` };
}

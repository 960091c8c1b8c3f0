import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { resolveReference } from './flatten.ts';
import { typeOfJson } from '../wire/json-values.ts';

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

/** Names of kinds of text that servers declare as types. */
const KINDS_OF_TEXT =
  /^(date|time|date-?time|timestamp|duration|uri|url|email|uuid|guid|char|enum|file|binary|bytes|base64)$/;

/** Keywords that only make sense for one type. */
const HINTS: readonly (readonly [type: string, keywords: readonly string[]])[] = [
  ['object', ['properties', 'required', 'additionalProperties', 'patternProperties', 'minProperties', 'maxProperties']],
  ['array', ['items', 'prefixItems', 'minItems', 'maxItems', 'uniqueItems', 'contains']],
  ['string', ['pattern', 'minLength', 'maxLength', 'format', 'contentEncoding']],
  ['number', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf']],
];

/** The types a value may have: the declared ones, otherwise those its keywords imply. Empty: any. */
export function readTypes(schema: JsonObject): string[] {
  const named = namesIn(schema);
  const declared = named.flatMap((each) => typeNamed(each) ?? []);
  // An unknown name may stand for anything: a type beside it is not the only one.
  const isKnown = declared.length === named.length && declared.length > 0;
  // `null` alone beside other values is a mistake: the values count.
  const isRead = isKnown && (declared.some((type) => type !== 'null') || (readEnum(schema) ?? []).every(isNullValue));
  const types = new Set(isRead ? declared : implied(schema));
  if (!isRead && types.size > 0) for (const each of declared) types.add(each);
  if (types.size > 0 && schema['nullable'] === true) types.add('null');
  if (types.has('number')) types.delete('integer');
  return [...types];
}

/** The names of types that no schema may contain, to be noted in words. */
export function foreignTypes(schema: JsonObject): string[] {
  return namesIn(schema).filter(
    (name) => typeNamed(name) !== name.toLowerCase() && OTHER_NAMES[name.toLowerCase()] === undefined,
  );
}

function namesIn({ type }: JsonObject): string[] {
  const names = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === 'string');
  const present = names.filter((name) => !/^(undefined|void|never)$/i.test(name));
  return present.length > 0 ? present : names;
}

function isNullValue(value: JsonValue): boolean {
  return value === null;
}

function typeNamed(name: string): string | null {
  const plain = name.toLowerCase();
  const kind = KINDS_OF_TEXT.test(plain) ? 'string' : /\[\]$|^(array|list)\W/.test(plain) ? 'array' : plain;
  const known = OTHER_NAMES[plain] ?? kind;
  return known === 'integer' || ANY_TYPES.some((each) => each === known) ? known : null;
}

/** True for a schema that no value matches: `false`, `{ not: {} }`, an empty list of values, a reference to such a schema. */
export function isImpossible(root: JsonObject, schema: JsonValue | undefined, depth = 0): boolean {
  if (!isJsonObject(schema)) return schema === false;
  const { not, enum: values, allOf, $ref: reference } = schema;
  if (not === true || (isJsonObject(not) && Object.keys(not).length === 0)) return true;
  if (Array.isArray(values) && values.length === 0) return true;
  if (depth >= MAX_DEPTH) return false;
  if (Array.isArray(allOf) && allOf.some((each) => isImpossible(root, each, MAX_DEPTH))) return true;
  return typeof reference === 'string' && isImpossible(root, resolveReference(root, reference), depth + 1);
}

function implied(schema: JsonObject): string[] {
  const values = readEnum(schema);
  if (values !== null && values.length > 0) return values.map(typeOfJson);
  const hint = HINTS.find(([, keywords]) => keywords.some((keyword) => schema[keyword] !== undefined));
  return hint === undefined ? [] : [hint[0]];
}

function readEnum(schema: JsonObject): readonly JsonValue[] | null {
  if (schema['const'] !== undefined) return [schema['const']];
  return Array.isArray(schema['enum']) ? schema['enum'] : null;
}

/** How many references to references are followed. */
const MAX_DEPTH = 4;

/** Longest list of values that OpenAI accepts: https://platform.openai.com/docs/guides/structured-outputs */
const MAX_VALUES = 500;

/** Longest list of values that is written in words, in characters. */
const MAX_WORDS = 300;

/**
 * The values of `enum` or `const` to send, and a note about the others. A list without a value that cannot be sent would
 * forbid it: then none is listed. Values of another type than the declared ones are only noted.
 */
export function listValues(
  schema: JsonObject,
  sent: readonly string[],
  accepted: 'scalars' | 'words',
): { listed: readonly JsonValue[]; note: string } {
  const values = [...new Set(readEnum(schema) ?? [])];
  const declared = readTypes(schema);
  const matchesTypes = (types: readonly string[], value: JsonValue): boolean =>
    types.some((type) => type === typeOfJson(value) || (type === 'integer' && Number.isInteger(value)));
  const isAccepted = (value: JsonValue): boolean =>
    accepted === 'scalars'
      ? typeof value !== 'object' || value === null
      : typeof value === 'number' || (typeof value === 'string' && value !== '');
  // Null is noted as a type.
  const fitting = values.filter((value) => matchesTypes(declared, value) && (value !== null || sent.includes('null')));
  const listed = fitting.filter((value) => matchesTypes(sent, value) && isAccepted(value));
  if (fitting.length === 0) return { listed: [], note: values.length === 0 ? '' : `one of: ${inWords(values)}` };
  if (listed.length < fitting.length || listed.length > MAX_VALUES)
    return { listed: [], note: `one of: ${inWords(values)}` };
  const others = values.filter((value) => value !== null && !matchesTypes(declared, value));
  return { listed, note: others.length === 0 ? '' : `of another type: ${inWords(others)}` };
}

/** Values as JSON, up to a length. */
export function inWords(values: readonly JsonValue[]): string {
  const text = values.map((value) => JSON.stringify(value)).join(', ');
  return text.length <= MAX_WORDS ? text : `${text.slice(0, MAX_WORDS).toWellFormed()}…`;
}

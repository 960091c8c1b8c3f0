import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { ANTHROPIC_TOOLS, BEDROCK_TOOLS, GEMINI_TOOLS, OPENAI_TOOLS, type SchemaRules } from '../tool-schema/rules.ts';

/** The documented restrictions of each provider, written down a second time. */
export type Strictness = {
  keys: RegExp;
  forbidden: readonly string[];
  choices: boolean;
  propertiesOfObjects: 'always' | 'never empty' | 'any';
  onlyWords: boolean;
  formats?: readonly string[];
};

const ANY_KEY = /^/;
const SAFE_KEY = /^[a-zA-Z0-9_.-]{1,64}$/;
const NO_CONSTRAINTS = ['pattern', 'minLength', 'maxLength', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];
const NO_EXTRAS = ['$ref', '$defs', 'default', 'examples', 'additionalProperties', 'uniqueItems'];
const GEMINI_STRING_FORMATS = ['date-time', 'date', 'time', 'enum', 'int32', 'int64', 'float', 'double'];

/** Each API format with its rules and restrictions. */
export const FORMATS: readonly [name: string, rules: SchemaRules, strict: Strictness][] = [
  ['OpenAI and llama.cpp', OPENAI_TOOLS.normal, base({ keys: ANY_KEY, propertiesOfObjects: 'always' })],
  ['Anthropic', ANTHROPIC_TOOLS.normal, base({ propertiesOfObjects: 'always' })],
  [
    'Gemini',
    GEMINI_TOOLS.normal,
    base({
      keys: /^[a-zA-Z_][a-zA-Z0-9_.-]{0,63}$/,
      forbidden: [...NO_CONSTRAINTS, ...NO_EXTRAS],
      propertiesOfObjects: 'never empty',
      onlyWords: true,
      formats: GEMINI_STRING_FORMATS,
    }),
  ],
  ['Bedrock', BEDROCK_TOOLS.normal, base({ forbidden: ['pattern', 'multipleOf', '$ref', '$defs'] })],
  [
    'a server that rejected the first form',
    OPENAI_TOOLS.plain,
    base({
      forbidden: [...NO_CONSTRAINTS, ...NO_EXTRAS.slice(0, 4), 'format', 'minimum', 'maximum', 'minItems', 'maxItems'],
      choices: false,
      onlyWords: true,
    }),
  ],
];

function base(more: Partial<Strictness>): Strictness {
  return { keys: SAFE_KEY, forbidden: [], choices: true, propertiesOfObjects: 'any', onlyWords: false, ...more };
}

const KEYWORDS = new Set([
  ...['type', 'title', 'description', 'properties', 'required', 'additionalProperties', 'items', 'enum', 'anyOf'],
  ...['$ref', '$defs', 'default', 'examples', 'uniqueItems', 'pattern', 'format', 'minimum', 'maximum'],
  ...['exclusiveMinimum', 'exclusiveMaximum', 'multipleOf', 'minLength', 'maxLength', 'minItems', 'maxItems'],
  ...['minProperties', 'maxProperties'],
]);
const TYPES = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'];

/** The faults that a strict provider finds in the parameters of a tool. */
export function listFaults(parameters: JsonObject, strict: Strictness): string[] {
  const faults: string[] = [];
  const { $defs = {} } = parameters;
  if (parameters['type'] !== 'object') faults.push('the root is not an object');
  if (!isJsonObject(parameters['properties'])) faults.push('the root has no properties');
  for (const choice of ['anyOf', 'oneOf', 'allOf', 'not', 'enum', 'const', '$ref']) {
    if (parameters[choice] !== undefined) faults.push(`${choice} at the root`);
  }
  visit(parameters, 'root', 0);
  for (const [name, definition] of Object.entries(isJsonObject($defs) ? $defs : {}))
    visit(definition, `$defs/${name}`, 1);
  return faults;

  function visit(schema: JsonValue | undefined, at: string, depth: number): void {
    if (!isJsonObject(schema)) return void faults.push(`${at} is no schema: ${JSON.stringify(schema)}`);
    if (depth > 25) faults.push(`${at} is too deep`);
    for (const [keyword, value] of Object.entries(schema)) {
      if (value === null) faults.push(`${at}.${keyword} is null`);
      if (!KEYWORDS.has(keyword) || strict.forbidden.includes(keyword)) {
        const isFree = keyword === 'additionalProperties' && value === true;
        if (!isFree) faults.push(`${at} has ${keyword}`);
      }
    }
    const { $ref: reference, anyOf, type } = schema;
    if (typeof reference === 'string') {
      const name = /^#\/\$defs\/([\w-]+)$/.exec(reference)?.[1];
      if (name === undefined || !isJsonObject($defs) || !Object.hasOwn($defs, name)) faults.push(`${at}: ${reference}`);
      return;
    }
    if (anyOf !== undefined) {
      if (!strict.choices) faults.push(`${at} has a choice`);
      if (!Array.isArray(anyOf) || anyOf.length === 0) return void faults.push(`${at}.anyOf is no list`);
      anyOf.forEach((each, index) => visit(each, `${at}.anyOf[${index}]`, depth + 1));
      return;
    }
    const types = Array.isArray(type) ? type : [type];
    if (types.length === 0 || types.some((each) => typeof each !== 'string' || !TYPES.includes(each)))
      faults.push(`${at} has the type ${JSON.stringify(type)}`);
    if (Array.isArray(type) && (!strict.choices || type.length < 2 || new Set(type).size < type.length))
      faults.push(`${at} has several types`);
    if (types.includes('array')) visit(schema['items'], `${at}.items`, depth + 1);
    if (types.includes('object')) visitObject(schema, at, depth);
    visitValues(schema, at);
  }

  function visitObject(schema: JsonObject, at: string, depth: number): void {
    const { properties, required, additionalProperties: more } = schema;
    if (properties === undefined && strict.propertiesOfObjects === 'always') faults.push(`${at} lacks properties`);
    if (properties !== undefined && !isJsonObject(properties)) return void faults.push(`${at}.properties`);
    const keys = Object.keys(properties ?? {});
    if (depth > 0 && properties !== undefined && keys.length === 0 && strict.propertiesOfObjects === 'never empty')
      faults.push(`${at} has empty properties`);
    for (const key of keys) {
      if (!strict.keys.test(key)) faults.push(`${at} has the key ${JSON.stringify(key)}`);
      visit(properties?.[key], `${at}.${key}`, depth + 1);
    }
    if (isJsonObject(more)) visit(more, `${at}.additionalProperties`, depth + 1);
    if (required === undefined) return;
    if (!Array.isArray(required) || required.length === 0 || new Set(required).size < required.length)
      return void faults.push(`${at}.required`);
    for (const name of required)
      if (typeof name !== 'string' || !keys.includes(name)) faults.push(`${at} requires ${JSON.stringify(name)}`);
  }

  function visitValues(schema: JsonObject, at: string): void {
    const { enum: values, pattern, format } = schema;
    if (values !== undefined) {
      if (!Array.isArray(values) || values.length === 0) return void faults.push(`${at}.enum`);
      const isWord = (value: JsonValue): boolean =>
        typeof value === 'number' || (typeof value === 'string' && value !== '');
      if (values.some((value) => typeof value === 'object' && value !== null)) faults.push(`${at}.enum has objects`);
      if (strict.onlyWords && !values.every(isWord)) faults.push(`${at}.enum has other values than words`);
    }
    if (typeof pattern === 'string' && !/^\^(?!.*\(\?)(?!.*\\[a-zA-Z]).+\$$/s.test(pattern))
      faults.push(`${at}: ${pattern}`);
    if (typeof format === 'string' && strict.formats?.includes(format) === false) faults.push(`${at}: ${format}`);
    for (const count of ['minLength', 'maxLength', 'minItems', 'maxItems']) {
      const value = schema[count];
      if (value !== undefined && (!Number.isInteger(value) || Number(value) < 0 || Number(value) > 2000))
        faults.push(`${at}.${count}`);
    }
  }
}

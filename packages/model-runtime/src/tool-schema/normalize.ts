import { isJsonObject, type JsonObject, type JsonValue } from '@toolyard/protocol';
import { readObjects } from '../wire/json-values.ts';
import { flatten, readProperties, readRequired, resolveReference, type FlatSchema } from './flatten.ts';
import { SafeKeys } from './keys.ts';
import { isPortablePattern, MAX_REPETITION } from './pattern.ts';
import type { SchemaRules } from './rules.ts';
import { ANY_TYPES, foreignTypes, inWords, isImpossible, readTypes, listValues } from './types.ts';

/** The parameters as they are sent, and the property keys that were renamed: sent name to own name. */
export type NormalizedSchema = { schema: JsonObject; originals: ReadonlyMap<string, string> };

/** Largest number of subschemas that are sent of one tool. */
const MAX_NODES = 2000;

/** Numeric constraints with a lower limit of 0 that count something. */
const COUNTS = ['minItems', 'maxItems', 'minLength', 'maxLength', 'minProperties', 'maxProperties'];
const BOUNDS = ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'];

/** Constraints that no format has, and those of {@link SchemaRules.extras}: they are written in words. */
const NEVER_SENT = [
  ...['not', 'if', 'then', 'else', 'dependentSchemas', 'dependentRequired', 'patternProperties', 'propertyNames'],
  ...['contains', 'contentEncoding', 'contentMediaType'],
];
const EXTRAS = ['default', 'examples', 'additionalProperties', 'uniqueItems'];

/** The constraints that belong to each type. */
const OF_TYPE: readonly (readonly [types: readonly string[], keywords: readonly string[]])[] = [
  [['string'], ['minLength', 'maxLength']],
  [['number', 'integer'], BOUNDS],
  [['array'], ['minItems', 'maxItems']],
  [['object'], ['minProperties', 'maxProperties']],
];

/**
 * The rule for tool schemas: a provider receives a schema built only from what its {@link SchemaRules} accept, with
 * nothing forbidden that the tool's own schema describes; calls are checked against the tool's own schema. Constraints that
 * cannot be sent are described in words. Deterministic, because tools are at the start of the prompt.
 */
export function normalizeSchema(own: JsonObject, rules: SchemaRules): NormalizedSchema {
  return new Normalizer(own, rules).run();
}

type Node = { depth: number; followed: readonly string[] };

class Normalizer {
  readonly #own: JsonObject;
  readonly #rules: SchemaRules;
  readonly #keys: SafeKeys;
  readonly #definitions = new Map<string, JsonObject>();
  readonly #definitionNames = new Map<string, string>();
  readonly #budget = { left: MAX_NODES };
  #left = MAX_NODES;

  constructor(own: JsonObject, rules: SchemaRules) {
    this.#own = own;
    this.#rules = rules;
    this.#keys = new SafeKeys(own, rules.keys);
  }

  run(): NormalizedSchema {
    const { schema, followed } = flatten(this.#own, this.#own, [], true, this.#budget);
    const notes = this.#dropped(flatten(this.#own, this.#own, [], false, this.#budget).schema);
    // Providers require `properties` here even where they reject empty ones below.
    const { properties = {}, ...rest } = this.#object(schema, { depth: 0, followed });
    const parameters: JsonObject = { type: 'object', ...texts(schema, notes), properties, ...rest };
    if (this.#definitions.size > 0) parameters['$defs'] = Object.fromEntries(this.#definitions);
    return { schema: parameters, originals: this.#keys.originals };
  }

  #node(value: JsonValue | undefined, { depth, followed }: Node): JsonObject {
    this.#left -= 1;
    if (!isJsonObject(value)) return this.#any({}, []);
    const reference = this.#rules.references ? this.#reference(value) : null;
    if (reference !== null) return reference;
    const flat = flatten(this.#own, value, followed, false, this.#budget);
    const at = { depth: depth + 1, followed: flat.followed };
    if (flat.cut || this.#left < 0 || depth >= this.#rules.maxDepth) return this.#leaf(flat.schema);
    const alternatives = listAlternatives(this.#own, flat.schema);
    if (alternatives.length === 0) return this.#plain(flat.schema, at);
    const isOfObjects = Object.keys(readProperties(flat.schema)).length > 0;
    if (isOfObjects || alternatives.length === 1 || !this.#rules.choices) return this.#united(flat, alternatives, at);
    const forms = distinct(alternatives.map((each) => this.#node(each, at)));
    const [first] = forms;
    if (forms.length === 1 && first !== undefined)
      return { ...first, ...texts(flat.schema, this.#beside(flat.schema)) };
    return { ...texts(flat.schema, this.#beside(flat.schema)), ...this.#default(flat.schema), anyOf: forms };
  }

  /** Alternatives in one schema: of all objects among them, otherwise the first. */
  #united({ schema, followed }: FlatSchema, alternatives: readonly JsonObject[], at: Node): JsonObject {
    const { anyOf: _, oneOf: __, ...rest } = schema;
    const flat = alternatives.map((each) => flatten(this.#own, each, followed, true, this.#budget).schema);
    const objects = flat.filter((each) => readTypes(each).includes('object'));
    const whole = { ...rest, ...(objects.length > 0 ? { anyOf: objects } : {}) };
    if (objects.length > 0 || Object.keys(readProperties(rest)).length > 0) {
      const others = alternatives.filter((_each, index) => !objects.includes(flat[index] ?? {}));
      return noted(this.#plain(flatten(this.#own, whole, followed, true, this.#budget).schema, at), others);
    }
    const chosen = flat.findIndex((each) => !isNull(each));
    const node = this.#node(alternatives[chosen] ?? {}, at);
    const description = rest['description'] ?? node['description'] ?? '';
    return noted(
      { ...node, ...texts({ ...rest, description }, this.#beside(rest)) },
      alternatives.filter((_each, index) => index !== chosen),
    );
  }

  /** A schema without references and alternatives. */
  #plain(schema: JsonObject, at: Node): JsonObject {
    const types = readTypes(schema);
    const notes = this.#dropped(schema);
    if (types.length === 0) return this.#any(schema, notes);
    const sent = this.#rules.choices ? types : [types.find((type) => type !== 'null') ?? 'string'];
    const others = types.filter((type) => !sent.includes(type));
    if (others.length > 0) notes.push(`or: ${others.join(', ')}`);
    const values = listValues(schema, sent, this.#rules.enums);
    if (values.note !== '') notes.push(values.note);
    const constraints = this.#constraints(schema, sent, notes);
    return {
      type: oneOrList(sent),
      ...texts(schema, notes),
      ...(values.listed.length > 0 ? { enum: [...values.listed] } : {}),
      ...constraints,
      ...(sent.includes('object') ? this.#object(schema, at) : {}),
      ...(sent.includes('array') ? { items: this.#items(schema, at) } : {}),
      ...(this.#rules.extras && sent.includes('array') && schema['uniqueItems'] === true ? { uniqueItems: true } : {}),
      ...this.#default(schema),
      ...(this.#rules.extras && Array.isArray(schema['examples']) ? { examples: schema['examples'] } : {}),
    };
  }

  /** The members of an object. A required property without a schema takes any value. */
  #object(schema: JsonObject, at: Node): JsonObject {
    const properties = Object.entries(readProperties(schema)).filter(
      ([, property]) => !isImpossible(this.#own, property),
    );
    const never = new Set(
      Object.entries(readProperties(schema)).flatMap(([key, each]) => (isImpossible(this.#own, each) ? [key] : [])),
    );
    const required = [...new Set(readRequired(schema))].filter((key) => !never.has(key));
    const undeclared = required.filter((key) => !Object.hasOwn(readProperties(schema), key));
    const sent = [...properties, ...undeclared.map((key) => [key, true] as const)].flatMap(([key, property]) => {
      if (this.#left < 0 && !required.includes(key)) return [];
      const name = this.#keys.of(key);
      const node = this.#node(property, at);
      return [[name, name === key ? node : described(node, `Called ${JSON.stringify(key)} by the tool.`)] as const];
    });
    // The properties that a pattern allows are not sent, so none can be forbidden.
    const declared = isImpossible(this.#own, schema['additionalProperties']) ? false : schema['additionalProperties'];
    const own = schema['patternProperties'] === undefined ? declared : undefined;
    const more = this.#rules.extras ? own : undefined;
    if (sent.length === 0 && at.depth > 0 && own !== false && !isJsonObject(more)) return this.#anyMembers();
    return {
      ...(sent.length > 0 || this.#rules.emptyProperties ? { properties: Object.fromEntries(sent) } : {}),
      ...(required.length > 0 ? { required: required.map((key) => this.#keys.of(key)) } : {}),
      ...(typeof more === 'boolean' ? { additionalProperties: more } : {}),
      ...(isJsonObject(more) ? { additionalProperties: this.#node(more, at) } : {}),
    };
  }

  /** The schema of all elements: that of a tuple is one of its members. */
  #items(schema: JsonObject, at: Node): JsonObject {
    const { items, prefixItems } = schema;
    const members = [prefixItems, items].flatMap((each) =>
      Array.isArray(each) ? each : isJsonObject(each) ? [each] : [],
    );
    return this.#node(members.length > 1 ? { anyOf: members } : members[0], at);
  }

  #constraints(schema: JsonObject, types: readonly string[], notes: string[]): JsonObject {
    const { described: inWords, formats } = this.#rules;
    const out: JsonObject = {};
    const add = (keyword: string, value: string | number, isAccepted: boolean): void => {
      if (isAccepted && !inWords.has(keyword)) out[keyword] = value;
      else notes.push(`${keyword}: ${value}`);
    };
    for (const [ofTypes, keywords] of OF_TYPE) {
      if (!ofTypes.some((type) => types.includes(type))) continue;
      for (const keyword of keywords) {
        const value = schema[keyword];
        if (typeof value !== 'number' || !Number.isFinite(value)) continue;
        if (COUNTS.includes(keyword))
          add(keyword, value, Number.isInteger(value) && value >= 0 && value <= MAX_REPETITION);
        else add(keyword, value, keyword !== 'multipleOf' || value > 0);
      }
    }
    // Draft 4 marks the bound as exclusive.
    for (const [bound, exclusive] of [
      ['minimum', 'exclusiveMinimum'],
      ['maximum', 'exclusiveMaximum'],
    ] as const) {
      const value = out[bound];
      if (schema[exclusive] !== true || typeof value !== 'number') continue;
      delete out[bound];
      add(exclusive, value, true);
    }
    const { pattern, format } = schema;
    if (typeof pattern === 'string' && types.includes('string')) add('pattern', pattern, isPortablePattern(pattern));
    if (typeof format === 'string') add('format', format, formats === null || formats.has(format));
    return out;
  }

  /** Takes any value. Servers with grammars cannot read a schema without a type. */
  #any(schema: JsonObject, notes: readonly string[]): JsonObject {
    if (!this.#rules.choices) return { type: 'string', ...texts(schema, [...notes, 'any JSON value']) };
    const element: JsonObject = { type: ANY_TYPES.filter((type) => type !== 'array'), ...this.#anyMembers() };
    return { type: [...ANY_TYPES], ...texts(schema, notes), ...this.#anyMembers(), items: element };
  }

  /** For an object with any members. Servers with grammars read empty properties alone as "no members". */
  #anyMembers(): JsonObject {
    return this.#rules.emptyProperties ? { properties: {}, additionalProperties: true } : {};
  }

  /** A value whose content is not described further. */
  #leaf(schema: JsonObject): JsonObject {
    const [type = 'object'] = readTypes(schema).filter((each) => each !== 'null');
    return {
      type,
      ...(this.#left < 0 ? {} : texts(schema, [])),
      ...(type === 'object' ? this.#anyMembers() : {}),
      ...(type === 'array' ? { items: { type: 'string' } } : {}),
    };
  }

  /** Notes about what restricts a value and cannot be sent. */
  #dropped(schema: JsonObject): string[] {
    const foreign = foreignTypes(schema);
    const said = [...NEVER_SENT, ...(this.#rules.extras ? [] : EXTRAS)].flatMap((keyword) => {
      const value = schema[keyword] ?? null;
      const isEmpty = typeof value === 'object' && (value === null || Object.keys(value).length === 0);
      const isFree =
        isEmpty || (keyword === 'uniqueItems' ? value !== true : typeof value === 'boolean' && keyword !== 'default');
      return isFree ? [] : [`${keyword}: ${inWords([value])}`];
    });
    // Alternatives that only say which properties are required.
    const left =
      listAlternatives(this.#own, schema).length > 0
        ? undefined
        : findEither(schema)?.filter((each) => !isImpossible(this.#own, each));
    return [
      ...(foreign.length === 0 ? [] : [`type: ${foreign.join(', ')}`]),
      ...said,
      ...(left === undefined || left.length === 0 || left.includes(true) ? [] : [`any of: ${inWords(left)}`]),
    ];
  }

  /** Notes about what restricts a value besides its alternatives. */
  #beside(schema: JsonObject): string[] {
    const notes = this.#dropped(schema);
    const accepted = this.#constraints(schema, [...ANY_TYPES, 'integer'], notes);
    for (const [keyword, value] of Object.entries(accepted)) notes.push(`${keyword}: ${JSON.stringify(value)}`);
    const values = schema['enum'];
    return Array.isArray(values) ? [...notes, `one of: ${inWords(values)}`] : notes;
  }

  #default(schema: JsonObject): JsonObject {
    const value = schema['default'];
    return this.#rules.extras && value !== undefined && value !== null ? { default: value } : {};
  }

  /** A reference to a definition at the root; null if the schema has none, or one that leads nowhere. */
  #reference(value: JsonObject): JsonObject | null {
    const { $ref: reference } = value;
    if (typeof reference !== 'string' || !/^#\/(\$defs|definitions)\/[^/]+$/.test(reference)) return null;
    const target = resolveReference(this.#own, reference);
    if (!isJsonObject(target) || this.#left < 0) return null;
    let name = this.#definitionNames.get(reference);
    if (name === undefined) {
      const plain = (reference.split('/').at(-1) ?? '').replace(/[^a-zA-Z0-9_-]+/g, '_');
      name = plain;
      for (let count = 2; this.#definitions.has(name) || name === ''; count += 1) name = `${plain}_${count}`;
      this.#definitionNames.set(reference, name);
      this.#definitions.set(name, {});
      // Flattened first, so that a definition that is only a reference to itself ends.
      const { schema, followed } = flatten(this.#own, target, [reference], false, this.#budget);
      this.#definitions.set(name, this.#node(schema, { depth: 1, followed }));
    }
    return { $ref: `#/$defs/${name}`, ...texts({ description: value['description'] ?? null }, []) };
  }
}

function texts(schema: JsonObject, notes: readonly string[]): JsonObject {
  const { title, description } = schema;
  const text = typeof description === 'string' ? description : '';
  const note = notes.length === 0 ? '' : `(${notes.join('; ')})`;
  const whole = [text, note].filter((each) => each !== '').join(' ');
  return {
    ...(typeof title === 'string' && title !== '' ? { title } : {}),
    ...(whole === '' ? {} : { description: whole }),
  };
}

/** A schema with a note about the alternatives that were not sent. */
function noted(schema: JsonObject, others: readonly JsonObject[]): JsonObject {
  return others.length === 0 ? schema : { ...schema, ...texts(schema, [`or: ${inWords(others)}`]) };
}

function described(schema: JsonObject, note: string): JsonObject {
  const { description } = schema;
  return { ...schema, description: typeof description === 'string' ? `${note} ${description}` : note };
}

/** The alternatives of a schema; empty if they allow anything, or only restrict the properties beside them. */
function listAlternatives(root: JsonObject, schema: JsonObject): JsonObject[] {
  const either = findEither(schema);
  if (either === undefined || either.includes(true)) return [];
  const alternatives = readObjects(either).filter((each) => !isImpossible(root, each));
  const saysWhat = alternatives.some((each) => Object.keys(each).some((key) => key !== 'required' && key !== 'not'));
  if (!saysWhat) return [];
  const { type } = schema;
  const hasType = (each: JsonObject): boolean => each['$ref'] !== undefined || readTypes(each).length > 0;
  return alternatives.map((each) => (type === undefined || hasType(each) ? each : { type, ...each }));
}

function findEither({ anyOf, oneOf }: JsonObject): JsonValue[] | undefined {
  return [anyOf, oneOf].filter((each) => Array.isArray(each)).find((each) => each.length > 0);
}

function distinct(forms: readonly JsonObject[]): JsonObject[] {
  return [...new Map(forms.map((form) => [JSON.stringify(form), form])).values()];
}

function isNull(schema: JsonObject): boolean {
  return readTypes(schema).every((type) => type === 'null') && readTypes(schema).length > 0;
}

function oneOrList(types: readonly string[]): JsonValue {
  const [first = 'string'] = types;
  return types.length === 1 ? first : [...types];
}

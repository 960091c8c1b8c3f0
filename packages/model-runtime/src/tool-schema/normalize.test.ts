import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { checkSchema } from '../object/check-schema.ts';
import { tool } from '../test-fixtures/requests.ts';
import { listFaults, FORMATS } from '../test-fixtures/strict-provider.ts';
import { FULL_SCHEMAS, renamedTools, toolFunction } from '../wire/tool-function.ts';
import { renameKeys } from './keys.ts';
import { normalizeSchema } from './normalize.ts';
import { isPortablePattern } from './pattern.ts';
import { ANTHROPIC_TOOLS, GEMINI_TOOLS, OPENAI_TOOLS, type SchemaRules } from './rules.ts';

const KEY = fc.oneof(
  fc.constantFrom(
    'a',
    'b',
    '$filter',
    'uids[]',
    'with space',
    '城市',
    '',
    '@type',
    'a.b',
    '__proto__',
    'type',
    'filter',
  ),
  fc.string({ maxLength: 70 }),
);
const REFERENCE = fc.constantFrom(
  ...['#', '#/$defs/A', '#/$defs/B', '#/definitions/C', '#/$defs/missing', '#/properties/a', 'https://e.test/s.json'],
  ...['#/$defs/%', '#/$defs/A/properties/a', 'A', '#A'],
);

/** Anything that servers have been seen to send as a schema, and worse. */
const { schema: badSchema } = fc.letrec<{ schema: JsonValue }>((tie) => ({
  schema: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom<JsonValue>(null, true, false, {}, 'string', 7, []),
    fc.record(
      {
        type: fc.constantFrom<JsonValue>(
          ...[
            'string',
            'object',
            'array',
            'integer',
            'number',
            'boolean',
            'null',
            'any',
            'STRING',
            'float',
            null,
            7,
            [],
          ],
          ...[['string', 'null'], ['array', 'null'], ['object', 'string', 'string'], ['unknown'], [null]],
        ),
        properties: fc.oneof(
          fc.constant(null),
          fc.dictionary(KEY, tie('schema'), { maxKeys: 3 }),
          fc.constant<JsonValue>([]),
        ),
        required: fc.oneof(
          fc.constant(null),
          fc.array(fc.oneof(KEY, fc.constant(null)), { maxLength: 3 }),
          fc.constant('a'),
        ),
        items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 2 })),
        prefixItems: fc.oneof(fc.constant(null), fc.array(tie('schema'), { maxLength: 2 })),
        additionalProperties: tie('schema'),
        anyOf: fc.oneof(fc.constant(null), fc.array(tie('schema'), { maxLength: 3 })),
        oneOf: fc.oneof(fc.constant(null), fc.array(tie('schema'), { maxLength: 3 })),
        allOf: fc.oneof(fc.constant(null), fc.array(tie('schema'), { maxLength: 2 })),
        not: tie('schema'),
        then: tie('schema'),
        dependentSchemas: fc.dictionary(KEY, tie('schema'), { maxKeys: 1 }),
        enum: fc.constantFrom<JsonValue>(null, [], ['a', 'b'], ['', 'a'], [1, 'a', null, true], [{ a: 1 }], [[1]], 'a'),
        const: fc.constantFrom<JsonValue>(null, 'a', 1, true, { a: 1 }),
        pattern: fc.constantFrom<JsonValue>(null, '[a-z]', '^[a-z]+$', '^\\d+$', '^(?=a).*$', '^a{1,5000}$', '(', 7),
        format: fc.constantFrom<JsonValue>(null, 'uri', 'date-time', 'email', 7),
        minimum: fc.constantFrom<JsonValue>(null, 0, '1'),
        exclusiveMinimum: fc.constantFrom<JsonValue>(true, false, 3),
        maxLength: fc.constantFrom<JsonValue>(5, 100_000, -1, 1.5, null),
        minItems: fc.constantFrom<JsonValue>(1, 100_000, null),
        nullable: fc.boolean(),
        default: fc.constantFrom<JsonValue>(null, 'a'),
        description: fc.constantFrom<JsonValue>(null, 'Text', 7),
        $ref: REFERENCE,
        $defs: fc.oneof(
          fc.constant(null),
          fc.record({ A: tie('schema'), B: tie('schema') }, { requiredKeys: [] }),
          fc.record({ A: tie('schema') }),
        ),
        definitions: fc.record({ C: tie('schema') }),
        $schema: fc.constant('http://json-schema.org/draft-07/schema#'),
        'x-order': fc.constant(1),
      } satisfies Record<string, fc.Arbitrary<JsonValue>>,
      { requiredKeys: [] },
    ) as fc.Arbitrary<JsonValue>,
  ),
}));
const badRoot = badSchema.filter(isJsonObject);

test('the strict provider finds faults in schemas as they are', () => {
  const [, , strict] = FORMATS[0] ?? [];
  if (strict === undefined) throw new Error('no format');
  const found = fc.sample(badRoot, { numRuns: 100, seed: 1 }).filter((schema) => listFaults(schema, strict).length > 0);
  expect(found.length).toBeGreaterThan(90);
});

describe.each(FORMATS)('a schema for %s', (_, rules, strict) => {
  test('is accepted whatever the tool declares, and the original stays as it was', () => {
    fc.assert(
      fc.property(badRoot, (schema) => {
        const before = JSON.stringify(schema);
        const sent = normalizeSchema(schema, rules).schema;
        expect(listFaults(sent, strict)).toEqual([]);
        expect(JSON.stringify(schema)).toBe(before);
        expect(JSON.stringify(normalizeSchema(structuredClone(schema), rules).schema)).toBe(JSON.stringify(sent));
      }),
      cases(600),
    );
  });

  test('allows every call that the tool allows, under names that lead back', () => {
    fc.assert(
      fc.property(declared(3), ({ schema, value }) => {
        expect(checkSchema(schema, value)).toBeNull();
        const { schema: sent, originals } = normalizeSchema(schema, rules);
        expect(listFaults(sent, strict)).toEqual([]);
        const args = renameKeys(value, sent, originals, false);
        // The plain form knows one type for each value, and the description names the others.
        if (strict.choices) expect(checkSchema(sent, args)).toBeNull();
        expect(renameKeys(args, sent, originals, true)).toEqual(value);
      }),
      cases(600),
    );
  });

  test.each<[string, JsonObject]>([
    ['definitions that refer to each other', cyclic(20)],
    [
      'alternatives that refer to each other',
      { type: 'object', ...cyclic(20), anyOf: [{ $ref: '#/$defs/d0' }, { $ref: '#/$defs/d1' }] },
    ],
    ['10,000 levels', nested(10_000)],
    [
      '5,000 properties',
      { type: 'object', properties: Object.fromEntries(range(5000).map((at) => [`p${at}`, { type: 'string' }])) },
    ],
  ])('stays small with %s', (__, schema) => {
    const sent = normalizeSchema(schema, rules).schema;
    expect(listFaults(sent, strict)).toEqual([]);
    expect(JSON.stringify(sent).length).toBeLessThan(400_000);
  });
});

/** A schema of an object and a value that matches it. */
function declared(depth: number): fc.Arbitrary<{ schema: JsonObject; value: JsonObject }> {
  const member = depth === 0 ? leaf() : fc.oneof(leaf(), declared(depth - 1), list(depth), choice(depth));
  return fc
    .dictionary(
      KEY.filter((key) => key !== '__proto__'),
      fc.tuple(member, fc.boolean()),
      { maxKeys: 4 },
    )
    .map((members) => {
      const entries = Object.entries(members);
      return {
        schema: {
          type: 'object',
          properties: Object.fromEntries(entries.map(([key, [{ schema }]]) => [key, schema])),
          required: entries.flatMap(([key, [, isRequired]]) => (isRequired ? [key] : [])),
        },
        value: Object.fromEntries(entries.map(([key, [{ value }]]) => [key, value])),
      };
    });
}

type Declared = { schema: JsonObject; value: JsonValue };

function leaf(): fc.Arbitrary<Declared> {
  return fc.constantFrom<Declared>(
    { schema: { type: 'string' }, value: 'x' },
    { schema: { enum: ['', 'a', 3] }, value: '' },
    { schema: { const: true }, value: true },
    { schema: { type: ['integer', 'null'] }, value: null },
    { schema: { type: 'number', minimum: 2, exclusiveMinimum: 1 }, value: 2 },
    { schema: { description: 'anything' }, value: { filter: [1, { $filter: null }] } },
    { schema: { type: 'object' }, value: { $filter: 1, 'uids[]': [{}] } },
    { schema: { type: 'object', additionalProperties: { type: 'string' } }, value: { 'free key': 'x' } },
    {
      schema: { type: 'object', patternProperties: { '^x': {} }, additionalProperties: false },
      value: { x1: 'y' },
    },
    { schema: { type: 'array' }, value: ['x', 1] },
    { schema: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }] }, value: ['x', 1] },
    { schema: { type: 'string', pattern: '^\\d{2}$' }, value: '12' },
    { schema: { type: 'string', minLength: 1200 }, value: 'x'.repeat(1200) },
  );
}

function list(depth: number): fc.Arbitrary<Declared> {
  return declared(depth - 1).map(({ schema, value }) => ({
    schema: { type: 'array', items: schema },
    value: [value, value],
  }));
}

function choice(depth: number): fc.Arbitrary<Declared> {
  return fc.tuple(declared(depth - 1), fc.constantFrom('anyOf', 'allOf')).map(([{ schema, value }, keyword]) => ({
    schema: keyword === 'anyOf' ? { anyOf: [{ type: 'string', enum: ['other'] }, schema] } : { allOf: [schema] },
    value,
  }));
}

function cyclic(count: number): JsonObject {
  const all = range(count).map((at) => ({ $ref: `#/$defs/d${at}` }));
  const definition: JsonObject = {
    type: 'object',
    properties: Object.fromEntries(all.map((each, at) => [`p${at}`, each])),
    anyOf: all,
  };
  return {
    properties: { start: { $ref: '#/$defs/d0' } },
    $defs: Object.fromEntries(range(count).map((at) => [`d${at}`, definition])),
  };
}

function nested(depth: number): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let at = 0; at < depth; at += 1) schema = { type: 'object', properties: { a: schema } };
  return schema;
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, at) => at);
}

describe('alternatives at the root', () => {
  const card: JsonObject = {
    type: 'object',
    properties: { kind: { const: 'card' }, card: { type: 'string' } },
    required: ['kind', 'card'],
  };
  const iban: JsonObject = {
    type: 'object',
    properties: { kind: { const: 'iban' }, iban: { type: 'string' } },
    required: ['kind', 'iban'],
  };

  test.each<[string, JsonObject]>([
    ['written out', { oneOf: [card, iban] }],
    [
      'as references',
      { anyOf: [{ $ref: '#/$defs/Card' }, { $ref: '#/$defs/Iban' }], $defs: { Card: card, Iban: iban } },
    ],
    [
      'behind a reference',
      { $ref: '#/definitions/Pay', definitions: { Pay: { oneOf: [card, { $ref: '#/definitions/I' }] }, I: iban } },
    ],
    ['within alternatives', { anyOf: [{ anyOf: [card] }, { allOf: [iban] }] }],
    [
      'in a recursive definition',
      { $ref: '#/$defs/Pay', $defs: { Pay: { anyOf: [card, iban, { $ref: '#/$defs/Pay' }] } } },
    ],
    [
      'in a condition',
      {
        type: 'object',
        properties: { kind: { enum: ['card', 'iban'] } },
        required: ['kind'],
        if: {},
        then: card,
        else: iban,
      },
    ],
  ])('%s offer all their properties, and require what all require', (__, schema) => {
    const { properties, required } = normalizeSchema(schema, OPENAI_TOOLS.normal).schema;
    expect(Object.keys(properties as JsonObject).sort()).toEqual(['card', 'iban', 'kind']);
    if (!JSON.stringify(schema).includes('"then"'))
      expect(required).toEqual(schema['$defs'] && 'Pay' in (schema['$defs'] as JsonObject) ? required : ['kind']);
    expect(JSON.stringify((properties as JsonObject)['kind'])).toMatch(/card.*iban/);
  });
});

test('recursive definitions stay references where the API has them, and end elsewhere', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: { root: { $ref: '#/$defs/Node' } },
    $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' }, name: { type: 'string' } } } },
  };
  expect(normalizeSchema(schema, ANTHROPIC_TOOLS.normal).schema).toMatchObject({
    properties: { root: { $ref: '#/$defs/Node' } },
    $defs: { Node: { properties: { next: { $ref: '#/$defs/Node' } } } },
  });
  const sent = JSON.stringify(normalizeSchema(schema, GEMINI_TOOLS.normal).schema);
  expect(sent).toContain('"name"');
  expect(sent).not.toContain('$ref');
});

test('property keys keep their meaning: a safe name, with the own one in the description', () => {
  const properties = {
    $filter: { type: 'string', description: 'OData' },
    filter: { type: 'string' },
    城市: { type: 'string' },
  };
  const own = tool('find', { inputSchema: { type: 'object', properties, required: ['$filter'] } });
  const { parameters } = toolFunction(own, ANTHROPIC_TOOLS, new Set());
  expect(Object.keys(parameters['properties'] as JsonObject)).toEqual(['filter_2', 'filter', 'key']);
  expect(parameters).toMatchObject({
    properties: { filter_2: { description: 'Called "$filter" by the tool. OData' } },
    required: ['filter_2'],
  });
  const renamed = renamedTools([own], ANTHROPIC_TOOLS, new Set());
  expect(renamed?.toOwn('find', { filter_2: 'a', filter: 'b', key: 'c' })).toEqual({
    $filter: 'a',
    filter: 'b',
    城市: 'c',
  });
  // A model that repeats the own name is understood as well.
  expect(renamed?.toOwn('find', { $filter: 'a' })).toEqual({ $filter: 'a' });
  expect(renamedTools([own], OPENAI_TOOLS, new Set())).toBeNull();
  expect(renamedTools([own], OPENAI_TOOLS, new Set([FULL_SCHEMAS]))).not.toBeNull();
});

test('a description over the limit continues in that of the parameters', () => {
  const description = 'word '.repeat(400);
  const sent = toolFunction(tool('f', { description }), OPENAI_TOOLS, new Set());
  expect(sent.description?.length).toBe(1024);
  const { description: rest } = sent.parameters;
  if (typeof rest !== 'string') throw new Error('no description');
  expect(`${sent.description}${rest}`.replace('……', '')).toBe(description);
  expect(toolFunction(tool('f', { description }), ANTHROPIC_TOOLS, new Set()).description).toBe(description);
});

test('constraints that cannot be sent are written into the description', () => {
  const schema: JsonObject = {
    type: 'object',
    properties: {
      day: { type: 'string', description: 'Day', pattern: '^\\d{4}-\\d{2}$', maxLength: 70_000 },
      flag: { enum: [true] },
    },
  };
  expect(normalizeSchema(schema, GEMINI_TOOLS.normal).schema).toMatchObject({
    properties: {
      day: { description: 'Day (maxLength: 70000; pattern: ^\\d{4}-\\d{2}$)' },
      flag: { type: 'boolean', description: '(one of: true)' },
    },
  });
});

test.each([
  ['^[a-z]+$', true],
  ['^a\\.b$', true],
  ['^(ab|cd){1,3}$', true],
  ['^[A-Za-z0-9][-A-Za-z0-9_.]*$', true],
  ['[a-z]', false],
  ['^[a-z]', false],
  ['^\\d+$', false],
  ['^[\\w.]+$', false],
  ['^(?=.*a).*$', false],
  ['^(?:a)$', false],
  ['^a+?$', false],
  ['^a$|^b$', false],
  ['^a{0,65536}$', false],
  ['^a\\$', false],
  ['^$', false],
  ['^($', false],
])('the pattern %s can be sent: %s', (pattern, isPortable) => {
  expect(isPortablePattern(pattern)).toBe(isPortable);
});

/** Kinds of schemas that servers declare, each with values it is meant to accept. */
const { meant } = fc.letrec<{ meant: Declared }>((tie) => ({
  meant: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    leaf(),
    fc.constantFrom<Declared>(
      { schema: { type: ['date', 'null'] }, value: '2020-01-01' },
      { schema: { type: ['null', 'uuid'] }, value: 'x' },
      { schema: { type: ['money', 'null'] }, value: 3 },
      { schema: { type: 'money', nullable: true }, value: 'x' },
      { schema: { type: ['any', 'null'], minimum: 1 }, value: 3 },
      { schema: { type: 'boolean', enum: [true, false] }, value: false },
      { schema: { type: ['string', 'undefined'] }, value: 'x' },
      { schema: { type: 'string[]' }, value: ['x'] },
      { schema: { type: 'null', enum: ['a'] }, value: 'a' },
    ),
    fc
      .tuple(
        tie('meant'),
        fc.constantFrom<JsonValue>(
          { not: {} },
          false,
          { not: true },
          { enum: [] },
          { type: 'null' },
          { $ref: '#/$defs/Never' },
        ),
        fc.constantFrom('anyOf', 'oneOf'),
        fc.boolean(),
      )
      .map(([{ schema, value }, other, keyword, isFirst]) => ({
        schema: { [keyword]: isFirst ? [other, schema] : [schema, other] },
        value,
      })),
    tie('meant').map(({ schema, value }) => ({ schema: { allOf: [schema], not: { const: 'never' } }, value })),
    tie('meant').map(({ schema, value }) => ({ schema: { type: 'array', items: schema }, value: [value] })),
    fc.tuple(tie('meant'), fc.constantFrom<JsonValue>(false, { not: {} })).map(([{ schema, value }, never]) => ({
      schema: { type: 'object', properties: { a: schema, b: never }, required: ['a', 'b'].slice(0, 1) },
      value: { a: value },
    })),
  ),
}));

test.each(FORMATS)('what is meant stays possible for %s', (_, rules, strict) => {
  fc.assert(
    fc.property(meant, ({ schema, value }) => {
      const $defs = { Never: { not: {} } };
      const own: JsonObject = { type: 'object', properties: { p: schema }, required: ['p'], $defs };
      const sent = normalizeSchema(own, rules).schema;
      expect(listFaults(sent, strict)).toEqual([]);
      if (strict.choices) expect(checkSchema(sent, { p: value })).toBeNull();
      else if (value !== null) expect(JSON.stringify(sent)).not.toMatch(/"type":"null"|not\\?":\{\}\}/);
    }),
    cases(400),
  );
});

test.each<[JsonObject, string, string]>([
  [{ type: ['date', 'null'] }, 'type: date', ''],
  [{ type: 'money' }, 'type: money', ''],
  [{ type: 'string', enum: [1, 2] }, 'one of: 1, 2', ''],
  [{ type: 'string', enum: ['a', 1] }, 'of another type: 1', ''],
  [{ type: 'integer', const: 'x' }, 'one of: "x"', ''],
  [{ type: 'string', not: { const: 'x' } }, 'not: {"const":"x"}', ''],
  [
    { type: 'object', patternProperties: { '^x-': { type: 'string' } } },
    'patternProperties: {"^x-":{"type":"string"}}',
    '',
  ],
  [
    { type: 'object', properties: { a: {}, b: {} }, oneOf: [{ required: ['a'] }, { required: ['b'] }] },
    'any of: {"required":["a"]}, {"required":["b"]}',
    '',
  ],
  [{ type: 'array', items: { type: 'string' }, contains: { const: 'x' } }, 'contains: {"const":"x"}', ''],
  [{ type: 'string', default: 'x' }, '', 'default: "x"'],
  [{ type: 'boolean', default: false }, '', 'default: false'],
  [{ type: 'array', items: { type: 'string' }, uniqueItems: true }, '', 'uniqueItems: true'],
  [{ type: ['string', 'null'] }, '', 'or: null'],
  [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, '', 'or: {"type":"number"}'],
  [{ anyOf: [{ not: {} }, { type: 'string' }] }, '', ''],
  [{ anyOf: [{ type: 'string' }, { type: 'null' }], minLength: 2 }, 'minLength: 2', ''],
  [
    { type: 'object', properties: { a: {} }, anyOf: [{ type: 'object' }, { type: 'string' }] },
    'or: {"type":"string"}',
    '',
  ],
])('what is dropped of %j is noted', (property, always, plain) => {
  const getNote = (own: JsonObject, rules: SchemaRules): JsonValue | undefined => {
    const { schema } = normalizeSchema({ type: 'object', properties: { p: own } }, rules);
    return ((schema['properties'] as JsonObject)['p'] as JsonObject)['description'];
  };
  expect(getNote(property, OPENAI_TOOLS.normal) ?? '').toBe(always === '' ? '' : `(${always})`);
  expect(getNote(property, OPENAI_TOOLS.plain) ?? '').toContain(plain === '' ? always : plain);
  if (property['type'] !== 'object' || property['anyOf'] !== undefined) return;
  expect(normalizeSchema(property, OPENAI_TOOLS.normal).schema['description']).toBe(`(${always})`);
});

import type { JsonObject, JsonValue, ParsedJson } from '@toolyard/protocol';
import { parseJson } from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { fitArguments } from './fit-arguments.ts';

type Described = { schema: JsonObject; value: JsonValue };

/** A schema that accepts no text at its own level, or only texts, with a value of it. */
const described = fc.letrec<{ any: Described; leaf: Described }>((tie) => ({
  leaf: fc.oneof(
    fc.integer().map((value) => ({ schema: { type: 'integer' }, value })),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => ({ schema: { type: 'number' }, value })),
    fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value })),
    fc.constant<Described>({ schema: { type: ['null', 'integer'] }, value: null }),
    fc.string().map((value) => ({ schema: { type: 'string' }, value })),
    fc.constantFrom('["a"]', '{"a":1}', '1', 'true', 'null').map((value) => ({ schema: { type: 'string' }, value })),
    fc.constantFrom('red', 'blue').map((value) => ({ schema: { enum: ['red', 'blue'] }, value })),
  ),
  any: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    tie('leaf'),
    fc.dictionary(fc.constantFrom('a', 'b', 'c', 'a/b~c'), tie('any'), { maxKeys: 3 }).map(createObject),
    fc.array(tie('leaf'), { maxLength: 3 }).map((items) => ({
      schema: { type: 'array', prefixItems: items.map(({ schema }) => schema) },
      value: items.map(({ value }) => value),
    })),
    fc.tuple(tie('any'), fc.constantFrom('anyOf', 'oneOf', 'allOf')).map(([inner, keyword]) => ({
      schema: { [keyword]: [inner.schema, ...(keyword === 'allOf' ? [] : [{ not: {} }])] },
      value: inner.value,
    })),
  ),
}));

function createObject(members: Record<string, Described>): { schema: JsonObject; value: JsonObject } {
  const entries = Object.entries(members);
  return {
    schema: {
      type: 'object',
      properties: Object.fromEntries(entries.map(([name, { schema }]) => [name, schema])),
      additionalProperties: false,
    },
    value: Object.fromEntries(entries.map(([name, { value }]) => [name, value])),
  };
}

/** Writes some values as JSON text, as models do: whole branches, or values inside them. */
function encode(value: JsonValue, next: () => boolean, isTop = true): JsonValue {
  const inner = Array.isArray(value)
    ? value.map((item) => encode(item, next, false))
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(Object.entries(value).map(([name, child]) => [name, encode(child, next, false)]))
      : value;
  return !isTop && typeof value !== 'string' && next() ? JSON.stringify(inner) : inner;
}

const members = fc.dictionary(fc.constantFrom('x', 'y', 'z', '__proto__'), described.any, { maxKeys: 4 });

describe('fitArguments', () => {
  test('finds the values again, wherever a model wrote them as text', () => {
    fc.assert(
      fc.property(members, fc.infiniteStream(fc.boolean()), (made, choices) => {
        const { schema, value } = createObject(made);
        const next = (): boolean => choices.next().value === true;
        expect(fitArguments(schema, encode(value, next) as JsonObject)).toEqual({ arguments: value, mismatch: null });
      }),
      cases(500),
    );
  });

  test('changes nothing that matches, and nothing if no decoding helps', () => {
    fc.assert(
      fc.property(members, fc.json(), (made, text) => {
        const { schema, value } = createObject(made);
        expect(fitArguments(schema, value).arguments).toBe(value);
        const wrong = { ...value, unknown: text };
        const fitted = fitArguments(schema, wrong);
        expect(fitted.arguments).toBe(wrong);
        expect(fitted.mismatch).not.toBeNull();
      }),
      cases(200),
    );
  });

  const list = { type: 'array', items: { type: 'string' } };
  test.each<[string, JsonObject, JsonObject, JsonObject | null]>([
    [
      'a text where text is allowed too',
      { x: { type: ['string', 'array'] }, n: list },
      { x: '[1]', n: '["a"]' },
      { x: '[1]', n: ['a'] },
    ],
    ['a text that was encoded twice', { x: list }, { x: '"[\\"a\\"]"' }, { x: ['a'] }],
    [
      'an inner text',
      { x: { type: 'object', properties: { tags: list } } },
      { x: '{"tags":"[\\"a\\"]"}' },
      { x: { tags: ['a'] } },
    ],
    [
      'an open object',
      { x: { type: 'object', additionalProperties: { type: 'integer' } } },
      { x: { a: '5' } },
      { x: { a: 5 } },
    ],
    ['a long id', { x: { type: 'integer' } }, { x: '9007199254740993' }, null],
    ['a long id in a list', { x: { items: { type: 'integer' }, type: 'array' } }, { x: '[1,9007199254740993]' }, null],
    ['a number without end', { x: { type: 'array' } }, { x: '[1e999]' }, null],
    ['a long id that is text', { x: list }, { x: '["9007199254740993"]' }, { x: ['9007199254740993'] }],
    [
      'a text in one alternative, a list in the one that is meant',
      {
        x: {
          oneOf: [
            { properties: { op: { const: 'say' }, value: { type: 'string' } }, required: ['op', 'value'] },
            { properties: { op: { const: 'add' }, value: list }, required: ['op', 'value'] },
          ],
          type: 'object',
        },
        y: list,
      },
      { x: { op: 'add', value: '["a"]' }, y: '["a"]' },
      { x: { op: 'add', value: ['a'] }, y: ['a'] },
    ],
    ['text that is not JSON', { x: list }, { x: 'a, b' }, null],
    ['JSON of another type', { x: list }, { x: '{"a":1}' }, null],
    ['null in a place for null', { x: { anyOf: [{ type: 'null' }, { type: 'object' }] } }, { x: 'null' }, { x: null }],
    ['a quoted choice', { x: { enum: ['red'] } }, { x: '"red"' }, { x: 'red' }],
  ])('%s', (_what, properties, args, expected) => {
    const { arguments: fitted, mismatch } = fitArguments({ type: 'object', properties }, args);
    if (expected === null) expect(fitted).toBe(args);
    else expect(fitted).toEqual(expected);
    expect(mismatch === null).toBe(expected !== null);
  });

  test('follows references, also those that never end', () => {
    const schema: JsonObject = {
      type: 'object',
      properties: { tree: { $ref: '#/$defs/node' }, odd: { $ref: '#/$defs/loop' } },
      $defs: {
        node: { type: 'object', properties: { n: { type: 'integer' }, next: { $ref: '#/$defs/node' } } },
        loop: { $ref: '#/$defs/loop' },
      },
    };
    const args = { tree: '{"n":"1","next":{"n":2,"next":"{\\"n\\":3}"}}' };
    expect(fitArguments(schema, args)).toEqual({
      arguments: { tree: { n: 1, next: { n: 2, next: { n: 3 } } } },
      mismatch: null,
    });
    expect(() => fitArguments(schema, { tree: '[]', odd: '[]' })).not.toThrow();
  });

  test.each<[string, JsonObject, JsonObject, JsonObject]>([
    [
      'another property, as schemas of Zod do',
      {
        properties: {
          a: list,
          b: { $ref: '#/properties/a' },
          c: { type: 'array', items: { $ref: '#/properties/a/items' } },
        },
      },
      { b: '["x"]', c: '["y"]' },
      { b: ['x'], c: ['y'] },
    ],
    [
      'the whole schema',
      { properties: { next: { $ref: '#' }, n: { type: 'integer' } } },
      { next: '{"n":1}' },
      { next: { n: 1 } },
    ],
    [
      'any place, with encoded names',
      { properties: { a: { $ref: '#/x%20y/z~1w' } }, 'x y': { 'z/w': list } },
      { a: '["x"]' },
      { a: ['x'] },
    ],
    [
      'an element of a list',
      { properties: { a: { $ref: '#/$defs/all/anyOf/1' } }, $defs: { all: { anyOf: [{ type: 'string' }, list] } } },
      { a: '["x"]' },
      { a: ['x'] },
    ],
    [
      'a schema with its own id',
      { $id: 'urn:x', properties: { a: { $ref: '#/$defs/t' } }, $defs: { t: list } },
      { a: '["x"]' },
      { a: ['x'] },
    ],
  ])('follows references to %s', (_what, schema, args, expected) => {
    expect(fitArguments({ type: 'object', ...schema }, args)).toEqual({ arguments: expected, mismatch: null });
  });

  test.each<[string, JsonObject]>([
    ['a condition', { if: { properties: { k: { const: 1 } } }, then: { properties: { v: list } } }],
    ['the other branch of a condition', { if: { properties: { k: { const: 2 } } }, else: { properties: { v: list } } }],
    ['a property beside it', { dependentSchemas: { k: { properties: { v: list } } } }],
    ['properties that are not listed', { properties: { k: {} }, unevaluatedProperties: list }],
  ])('decodes what depends on %s', (_what, schema) => {
    expect(fitArguments({ type: 'object', ...schema }, { k: 1, v: '["x"]' }).arguments).toEqual({ k: 1, v: ['x'] });
  });

  test('reads texts as the caller does', () => {
    const parse = (text: string): ParsedJson => parseJson(text.replaceAll("'", '"'));
    const schema = { type: 'object', properties: { x: list } };
    expect(fitArguments(schema, { x: "['a']" }, parse).arguments).toEqual({ x: ['a'] });
    expect(fitArguments(schema, { x: "['a']" }).mismatch).not.toBeNull();
  });

  test('decodes hundreds of items that were written as text', () => {
    const items = { type: 'object', properties: { n: { type: 'integer' } }, required: ['n'] };
    const expected = Array.from({ length: 600 }, (_, n) => ({ n }));
    const args = { x: expected.map((item) => JSON.stringify(item)) };
    expect(fitArguments({ type: 'object', properties: { x: { type: 'array', items } } }, args).arguments).toEqual({
      x: expected,
    });
  });

  test('ends soon for many texts in a large schema', () => {
    const properties = Object.fromEntries(Array.from({ length: 8_000 }, (_, at) => [`p${String(at)}`, list]));
    const args = Object.fromEntries(Object.keys(properties).map((name) => [name, '["a"]']));
    expect(fitArguments({ type: 'object', properties }, args).mismatch).not.toBeNull();
  });
});

import type { JsonObject } from '@toolyard/protocol';
import { describe, expect, test } from 'vitest';
import { checkArguments } from './check-arguments.ts';

const schema = (more: JsonObject): JsonObject => ({ type: 'object', ...more });

describe('checkArguments', () => {
  const sum = schema({ properties: { a: { type: 'number' }, b: { type: 'number' } }, required: ['a', 'b'] });

  test('accepts matching arguments', () => {
    expect(checkArguments(sum, { a: 1, b: 2 })).toBeNull();
  });

  test('names missing arguments and wrong types', () => {
    expect(checkArguments(sum, { a: 1 })).toContain('"b"');
    expect(checkArguments(sum, { a: 'one', b: 2 })).toBe('"a": Instance type "string" is invalid. Expected "number".');
  });

  test('follows references inside the schema', () => {
    const local = schema({ $defs: { count: { type: 'integer' } }, properties: { n: { $ref: '#/$defs/count' } } });
    expect(checkArguments(local, { n: 1 })).toBeNull();
    expect(checkArguments(local, { n: 'x' })).not.toBeNull();
  });
});

describe('hostile schemas', () => {
  test('a slow regular expression is not executed', () => {
    const hostile = schema({
      properties: { text: { type: 'string', pattern: '^(a+)+$' } },
      patternProperties: { '^(b+)+$': { type: 'number' } },
    });
    expect(checkArguments(hostile, { text: `${'a'.repeat(60)}!`, [`${'b'.repeat(60)}!`]: 'x' })).toBeNull();
  });

  test('attack 23: schemas with exponential or infinite references are abandoned', () => {
    const levels = Object.fromEntries(
      Array.from({ length: 60 }, (_, level) => [
        `l${level}`,
        level === 59
          ? { type: 'number' }
          : { allOf: [{ $ref: `#/$defs/l${level + 1}` }, { $ref: `#/$defs/l${level + 1}` }] },
      ]),
    );
    expect(checkArguments(schema({ $defs: levels, $ref: '#/$defs/l0' }), { a: 1 })).toBeNull();
    const twice = { properties: { x: { $ref: '#/$defs/node' } } };
    const tree = schema({ $defs: { node: { anyOf: [twice, { ...twice, required: ['y'] }] } }, $ref: '#/$defs/node' });
    let deep: JsonObject = {};
    for (let depth = 0; depth < 200; depth++) deep = { x: deep };
    expect(checkArguments(tree, deep)).toBeNull();
  });

  test('an external reference is not fetched and rejects nothing', () => {
    const remote = schema({ properties: { a: { $ref: 'https://example.invalid/schema.json' } } });
    expect(checkArguments(remote, { a: 1 })).toBeNull();
  });

  test('a circular schema or an unknown dialect rejects nothing', () => {
    expect(checkArguments(schema({ $ref: '#' }), { a: 1 })).toBeNull();
    expect(checkArguments(schema({ $schema: 'urn:unheard-of' }), { a: 1 })).toBeNull();
    expect(checkArguments(schema({ properties: { a: { type: 'any' }, b: { type: 7 } } }), { a: 1, b: 1 })).toBeNull();
  });

  test('what only a pattern allowed stays allowed when the pattern is removed', () => {
    const open = schema({ patternProperties: { '^x-': { type: 'string' } }, additionalProperties: false });
    expect(checkArguments(open, { 'x-mine': 'ok' })).toBeNull();
  });

  test('arguments named like keywords keep their schemas', () => {
    const named = schema({ properties: { pattern: { type: 'string' }, format: { enum: ['pattern'] } } });
    expect(checkArguments(named, { pattern: 1 })).not.toBeNull();
    expect(checkArguments(named, { format: 'other' })).not.toBeNull();
  });
});

test.each([
  ['required', { required: null }],
  ['the schema of another property', { properties: { text: { type: 'string' }, other: null } }],
  ['a list of schemas', { anyOf: null, allOf: null }],
])('null instead of %s is absent, and the rest is checked', (_, more) => {
  const schema = { type: 'object', properties: { text: { type: 'string' } }, ...more } as JsonObject;
  expect(checkArguments(schema, { text: 'a', other: 1 })).toBeNull();
  expect(checkArguments(schema, { text: 5 })).not.toBeNull();
});

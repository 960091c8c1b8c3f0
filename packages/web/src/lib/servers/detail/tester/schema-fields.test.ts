import type { JsonObject } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { toField, initialValue, findVariant } from './schema-fields.ts';

const at = (schema: JsonObject, root = schema) => toField(schema, root);

test('reads kinds, titles and descriptions of simple values', () => {
  expect(at({ type: 'string', title: 'Name', description: 'Who' })).toEqual({
    kind: 'text',
    long: false,
    title: 'Name',
    description: 'Who',
  });
  expect(at({ type: 'string', maxLength: 5000 })).toMatchObject({ kind: 'text', long: true });
  expect(['number', 'integer', 'boolean', 'null'].map((type) => at({ type }).kind)).toEqual([
    'number',
    'integer',
    'boolean',
    'null',
  ]);
  expect(at({}).kind).toBe('json');
  expect(at({ type: 'array', items: [{}, {}] }).kind).toBe('json');
});

test('reads enums of any type, constants, and titled constants of oneOf as choices', () => {
  expect(at({ enum: ['a', 1, null] })).toMatchObject({ kind: 'choice', options: [{ label: 'a' }, { value: 1 }, {}] });
  expect(at({ type: 'string', enum: ['a'], enumNames: ['First'] })).toMatchObject({ options: [{ label: 'First' }] });
  expect(at({ oneOf: [{ const: 'a', title: 'First' }, { const: 'b' }] })).toMatchObject({
    kind: 'choice',
    options: [
      { value: 'a', label: 'First' },
      { value: 'b', label: 'b' },
    ],
  });
});

test('follows local references, merges allOf, and ends for schemas that contain themselves', () => {
  const root: JsonObject = {
    type: 'object',
    properties: { child: { $ref: '#' }, size: { $ref: '#/$defs/size', description: 'Here' } },
    required: ['child'],
    $defs: { size: { allOf: [{ type: 'integer' }, { $ref: '#/$defs/note' }] }, note: { title: 'Size' } },
  };
  expect(at({ $ref: '#/$defs/size', description: 'Here' }, root)).toEqual({
    kind: 'integer',
    title: 'Size',
    description: 'Here',
  });
  expect(at({ $ref: 'https://example.com/schema' }, root).kind).toBe('json');
  expect(at({ $ref: '#/$defs/loop' }, { $defs: { loop: { $ref: '#/$defs/loop' } } }).kind).toBe('json');
  expect(JSON.stringify(initialValue(root, root)).length).toBeLessThan(200);
});

test('offers oneOf, anyOf and several types as variants with telling labels', () => {
  const circle = {
    properties: { kind: { const: 'circle' }, radius: { type: 'number' } },
    required: ['kind', 'radius'],
  };
  const square = { properties: { kind: { const: 'square' }, side: { type: 'number' } }, required: ['kind', 'side'] };
  const shape: JsonObject = { type: 'object', properties: { name: { type: 'string' } }, oneOf: [circle, square] };
  const field = at(shape);
  if (field.kind !== 'variants') throw new Error('no variants');
  expect(field.variants.map(({ label }) => label)).toEqual(['circle', 'square']);
  expect(toField(field.variants[1]?.schema ?? {}, shape)).toMatchObject({
    properties: [{ name: 'name' }, { name: 'kind' }, { name: 'side' }],
  });
  expect(findVariant({ kind: 'square', side: 2 }, field.variants, shape)).toBe(1);
  expect(findVariant(undefined, field.variants, shape)).toBe(0);
  const several = at({ type: ['string', 'null'] });
  expect(several).toMatchObject({ kind: 'variants', variants: [{ label: 'string' }, { label: 'null' }] });
  expect(several.kind === 'variants' && findVariant(null, several.variants, {})).toBe(1);
});

test('starts with defaults and required objects only', () => {
  const schema: JsonObject = {
    type: 'object',
    required: ['filter', 'tags', 'text'],
    properties: {
      text: { type: 'string' },
      limit: { type: 'integer', default: 10 },
      filter: { type: 'object', properties: { deep: { type: 'boolean', default: false }, other: { type: 'string' } } },
      tags: { type: 'array', items: { type: 'string' } },
      more: { type: 'object', properties: { a: { type: 'string' } } },
    },
  };
  expect(initialValue(schema, schema)).toEqual({ limit: 10, filter: { deep: false }, tags: [] });
});

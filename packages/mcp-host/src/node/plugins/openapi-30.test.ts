import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { checkArguments } from '../../calls/check-arguments.ts';
import { fromOpenApi30 } from './openapi-30.ts';

type Described = { schema: JsonObject; valid: JsonValue; invalid: JsonValue };

/** Schemas of OpenAPI 3.0 that do not accept null, with a value that they accept, and one that they do not. */
const described = fc.letrec<{ any: Described; leaf: Described }>((tie) => ({
  leaf: fc.constantFrom<Described>(
    { schema: { type: 'string' }, valid: 'a', invalid: 1 },
    { schema: { type: 'integer', minimum: 1, exclusiveMinimum: true }, valid: 2, invalid: 1 },
    { schema: { type: 'number', maximum: 1, exclusiveMaximum: false }, valid: 1, invalid: 2 },
    { schema: { type: 'string', enum: ['a', 'b'] }, valid: 'b', invalid: 'c' },
    { schema: { enum: ['a', 'b'] }, valid: 'b', invalid: 'c' },
  ),
  any: fc.oneof(
    { maxDepth: 3 },
    tie('leaf'),
    tie('any').map(({ schema, valid, invalid }) => ({
      schema: { type: 'object', properties: { nullable: schema }, required: ['nullable'] },
      valid: { nullable: valid },
      invalid: { nullable: invalid },
    })),
    tie('any').map(({ schema, valid, invalid }) => ({
      schema: { type: 'array', items: schema },
      valid: [valid],
      invalid: [invalid],
    })),
    fc.tuple(tie('any'), fc.constantFrom('allOf', 'anyOf', 'oneOf')).map(([inner, keyword]) => ({
      ...inner,
      schema: { description: 'x', [keyword]: [inner.schema] },
    })),
  ),
}));

const inside = (schema: JsonObject): JsonObject => ({
  type: 'object',
  properties: { v: fromOpenApi30(schema) },
});

describe('a schema of OpenAPI 3.0', () => {
  test('accepts null if it is nullable, and everything else as before', () => {
    fc.assert(
      fc.property(described.any, fc.constantFrom('nullable', 'x-nullable'), ({ schema, valid, invalid }, flag) => {
        expect(checkArguments(inside(schema), { v: valid })).toBeNull();
        expect(checkArguments(inside(schema), { v: invalid })).not.toBeNull();
        expect(checkArguments(inside(schema), { v: null })).not.toBeNull();
        const orNull = inside({ ...schema, [flag]: true });
        expect(checkArguments(orNull, { v: valid })).toBeNull();
        expect(checkArguments(orNull, { v: null })).toBeNull();
        expect(checkArguments(orNull, { v: invalid })).not.toBeNull();
        expect(checkArguments(inside({ ...schema, [flag]: false }), { v: null })).not.toBeNull();
      }),
      cases(300),
    );
  });

  test('may have nullable parts inside', () => {
    fc.assert(
      fc.property(described.any, ({ schema, valid }) => {
        const list = inside({ type: 'array', items: { ...schema, nullable: true } });
        expect(checkArguments(list, { v: [valid, null] })).toBeNull();
        expect(checkArguments(list, { v: null })).not.toBeNull();
      }),
      cases(100),
    );
  });

  test.each<[JsonObject, JsonObject]>([
    [
      { type: 'string', nullable: true, enum: ['a', null] },
      { type: ['string', 'null'], enum: ['a', null] },
    ],
    [
      { nullable: true, description: 'd', default: 1 },
      { description: 'd', default: 1 },
    ],
    [
      { nullable: true, title: 't', allOf: [{ type: 'object' }] },
      { title: 't', anyOf: [{ allOf: [{ type: 'object' }] }, { type: 'null' }] },
    ],
    [
      { default: { nullable: true }, enum: [{ nullable: true }] },
      { default: { nullable: true }, enum: [{ nullable: true }] },
    ],
  ])('%j is read as %j', (sent, read) => {
    expect(fromOpenApi30(sent)).toEqual(read);
  });
});

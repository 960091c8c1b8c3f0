import { cases, fc } from '@toolyard/testing/property';
import { expect, it, test } from 'vitest';
import { isJsonObject } from '@toolyard/protocol';
import type { JsonValue } from '@toolyard/protocol';
import { partialArguments } from './partial-arguments.ts';

test.each([
  ['', null],
  ['{', {}],
  ['{"co', {}],
  ['{"code"', {}],
  ['{"code":', {}],
  ['{"code":"let a', { code: 'let a' }],
  ['{"code":"a\\', { code: 'a' }],
  ['{"code":"a\\u00', { code: 'a' }],
  ['{"code":"a\\"b', { code: 'a"b' }],
  ['{"a":12', {}],
  ['{"a":12,', { a: 12 }],
  ['{"a":tru', {}],
  ['{"a":[1,{"b":"c', { a: [1, { b: 'c' }] }],
  ['{"a":{"b":1},"c":[2', { a: { b: 1 }, c: [] }],
  ['{"a":1}', { a: 1 }],
  ['[1,', null],
  ['{"a":1}}', null],
  ['no JSON', null],
])('reads %j', (text, read) => {
  expect(partialArguments(text)).toEqual(read);
});

it('reads something of every beginning of an object, and all of the whole', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.nat(), (object, at) => {
      const text = JSON.stringify(object);
      expect(partialArguments(text)).toEqual(JSON.parse(text));
      const read = partialArguments(text.slice(0, 1 + (at % text.length)));
      expect(isJsonObject(read as JsonValue)).toBe(true);
    }),
    cases(300),
  );
});

import { expect, expectTypeOf, test } from 'vitest';
import { defined } from './defined.ts';

test('drops undefined properties only', () => {
  const values = { zero: 0, empty: '', no: false, none: null, missing: undefined };
  const copy = defined(values);
  expect(Object.keys(copy)).toEqual(['zero', 'empty', 'no', 'none']);
  expect(copy).toEqual({ zero: 0, empty: '', no: false, none: null });
});

test('makes properties that may be undefined optional', () => {
  const text = ['a', undefined].at(1);
  const copy = defined({ text, count: 1 });
  expectTypeOf(copy.text).toEqualTypeOf<string | undefined>();
  expectTypeOf({ ...copy }).toEqualTypeOf<{ text?: string; count: number }>();
  expect(copy).toStrictEqual({ count: 1 });
});

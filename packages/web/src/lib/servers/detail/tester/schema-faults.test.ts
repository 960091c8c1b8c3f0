import { checkArguments } from '@toolyard/mcp-host';
import type { JsonObject } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { findPosition, readFaults, readJsonArguments, withValue } from './schema-faults.ts';

const SCHEMA: JsonObject = {
  type: 'object',
  required: ['name', 'size'],
  properties: {
    name: { type: 'string' },
    size: { type: 'object', properties: { width: { type: 'integer' } } },
    tags: { type: 'array', items: { enum: ['a', 'b'] } },
  },
};

test('finds the paths of what the check of arguments reports', () => {
  const faults = readFaults(checkArguments(SCHEMA, { size: { width: 'x' }, tags: ['a', 'c'] }));
  expect(faults.map(({ path }) => path.join('/')).sort()).toEqual(['name', 'size/width', 'tags/1']);
  expect(readFaults(checkArguments(SCHEMA, { name: 'a', size: {} }))).toEqual([]);
});

test('names line and column of syntax errors and of faulty values', () => {
  expect(readJsonArguments('{\n  "a": 1,\n  "b" 2\n}')).toMatchObject({ ok: false, line: 3, column: 7 });
  expect(readJsonArguments('{"a":1,}')).toMatchObject({ ok: false, line: 1 });
  expect(readJsonArguments('[1]')).toEqual({ ok: false, fault: 'object' });
  expect(readJsonArguments('{"a": {"b": 1}}')).toEqual({ ok: true, value: { a: { b: 1 } } });
  const text = '{\n  "size": {\n    "width": "x"\n  },\n  "tags": ["a", "c"]\n}';
  expect(findPosition(text, ['size', 'width'])).toEqual({ line: 3, column: 14 });
  expect(findPosition(text, ['tags', '1'])).toEqual({ line: 5, column: 17 });
  expect(findPosition(text, ['size', 'height'])).toEqual({ line: 2, column: 11 });
});

test('replaces and removes nested values without changing the original', () => {
  const whole = { a: { list: [1, 2, 3] }, b: 1 };
  expect(withValue(whole, ['a', 'list', '1'], 9)).toEqual({ a: { list: [1, 9, 3] }, b: 1 });
  expect(withValue(whole, ['a', 'list', '0'], undefined)).toEqual({ a: { list: [2, 3] }, b: 1 });
  expect(withValue(whole, ['b'], undefined)).toEqual({ a: { list: [1, 2, 3] } });
  expect(Object.keys(withValue(whole, ['a'], 0) ?? {})).toEqual(['a', 'b']);
  expect(withValue(undefined, ['a', 'b'], true)).toEqual({ a: { b: true } });
  expect(whole).toEqual({ a: { list: [1, 2, 3] }, b: 1 });
});

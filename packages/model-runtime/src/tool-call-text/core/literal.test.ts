import { expect, test } from 'vitest';
import { parseLenient } from './literal.ts';

test.each([
  ['single quotes', "['a', 'b']", ['a', 'b']],
  ['Python literals', "{'x': True, 'y': None}", { x: true, y: null }],
  ['a trailing comma', '["a",]', ['a']],
  ['raw newlines', '{"x":"a\nb"}', { x: 'a\nb' }],
  ['a code fence', '```json\n["a"]\n```\n', ['a']],
  ['a code fence without a language', '```\n{"a": 1}\n```', { a: 1 }],
  ['a byte order mark', '\ufeff["a"]', ['a']],
])('reads JSON with %s', (_what, text, value) => {
  expect(parseLenient(text)).toEqual({ ok: true, value });
});

test.each(['a, b', '[a, b]', '{x: 1}', '["a"', '["a"] and more', '```json\nnothing\n```'])(
  'does not read %j, whose meaning is open',
  (text) => expect(parseLenient(text).ok).toBe(false),
);

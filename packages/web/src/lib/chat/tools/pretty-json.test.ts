import { describe, expect, test } from 'vitest';
import { jsonIn, layOutJson } from './pretty-json.ts';

const ROOMY = { lines: 1000, characters: 100_000 };

/** The text as shown, with four spaces per level. */
function read(json: string, bounds = ROOMY): string {
  const { lines } = layOutJson(json, bounds);
  return lines.map(({ depth, tokens }) => ' '.repeat(depth * 4) + tokens.map(({ text }) => text).join('')).join('\n');
}

function hidden(json: string): string[] {
  const { lines } = layOutJson(json, ROOMY);
  return lines.flatMap(({ tokens }) => tokens.filter(({ kind }) => kind === 'hidden').map(({ text }) => text));
}

describe('pretty-printed JSON', () => {
  test('puts each member on its own line, and short flat values on one', () => {
    const value = { path: '/home/me/notes', list: [1, 2], none: {}, nested: { inner: { deep: [true, null] } } };
    expect(read(JSON.stringify(value))).toBe(
      [
        '{',
        '    "path": "/home/me/notes",',
        '    "list": [1, 2],',
        '    "none": {},',
        '    "nested": {',
        '        "inner": {',
        '            "deep": [true, null]',
        '        }',
        '    }',
        '}',
      ].join('\n'),
    );
    expect(read('{ "timeZone" :"Asia/Tokyo"}')).toBe('{ "timeZone": "Asia/Tokyo" }');
  });

  test('shows line breaks in strings as line breaks, indented to the string', () => {
    expect(read('{"code":"first\\nsecond","mode":"append"}')).toBe(
      ['{', '    "code": "first\\n', '        second",', '    "mode": "append"', '}'].join('\n'),
    );
  });

  test('keeps the original text: long numbers and the order of keys', () => {
    expect(read('{"b":12345678901234567890,"a":1.10}')).toBe('{ "b": 12345678901234567890, "a": 1.10 }');
  });

  test('handles brackets, quotes and backslashes in strings', () => {
    const value = { 'a"]': 'x\\', b: '}{"' };
    expect(read(JSON.stringify(value))).toBe('{ "a\\"]": "x\\\\", "b": "}{\\"" }');
  });

  test('distinguishes keys from values', () => {
    const { lines } = layOutJson('{"a" : "a"}', ROOMY);
    expect(lines[0]?.tokens.filter(({ text }) => text === '"a"').map(({ kind }) => kind)).toEqual(['key', 'string']);
  });

  test.each(['{"a":[1,{"b":"c\\nd"}]}', '[]', '[[[]]]', '{"a":"\\u4e2d"}', '  [ 1 , 2 ]  ', '{"":{"":[{}]}}'])(
    'has the same value as %s',
    (json) => {
      const shown = layOutJson(json, ROOMY)
        .lines.flatMap(({ tokens }) => tokens.map(({ text }) => text))
        .join('');
      expect(JSON.parse(shown)).toEqual(JSON.parse(json));
    },
  );
});

describe('hidden characters in strings', () => {
  test.each([
    ['bidirectional controls', '"rm \u202egnp.exe"', ['\\u202e']],
    ['zero-width characters', '"pay\u200bpal"', ['\\u200b']],
    ['tags', '"a\u{e0041}"', ['\\u{e0041}']],
    ['escapes of hidden characters', '"\\u202e\\u0000"', ['\\u202e\\u0000']],
    ['half a surrogate pair', '"\\ud83d"', ['\\ud83d']],
  ])('%s are shown as escapes', (_name, json, found) => {
    expect(hidden(`[${json}]`)).toEqual(found);
  });

  test.each([
    ['["\\u4f60\\u597d"]', '["你好"]'],
    ['["\\ud83d\\ude00"]', '["😀"]'],
    ['["👩🏽‍🚀 ❤️"]', '["👩🏽‍🚀 ❤️"]'],
    ['["\\u0022\\u005c"]', '["\\u0022\\u005c"]'],
  ])('%s is shown as %s', (json, shown) => {
    expect(read(json)).toBe(shown);
  });
});

describe('large JSON', () => {
  test('ends at the line limit', () => {
    const json = JSON.stringify(Array.from({ length: 50_000 }, (_, index) => ({ index, text: 'x'.repeat(80) })));
    const { lines, whole } = layOutJson(json, { lines: 5, characters: 1000 });
    expect(lines).toHaveLength(5);
    expect(whole).toBe(false);
  });

  test('ends at the character limit without splitting a surrogate pair', () => {
    const json = JSON.stringify({ a: '😀'.repeat(50) });
    for (const characters of [10, 11]) {
      const { lines, whole } = layOutJson(json, { lines: 5, characters });
      const text = lines.flatMap(({ tokens }) => tokens.map((token) => token.text)).join('');
      expect(text.length).toBeLessThanOrEqual(characters);
      expect(text.isWellFormed()).toBe(true);
      expect(whole).toBe(false);
    }
  });

  test('is complete if it just fits', () => {
    expect(layOutJson('{"a":1}', ROOMY).whole).toBe(true);
    expect(layOutJson('[[1],[2]]', { lines: 4, characters: 100 }).whole).toBe(true);
    expect(layOutJson('[[1],[2]]', { lines: 3, characters: 100 }).whole).toBe(false);
  });
});

test.each([
  ['{"a":1}', true],
  [' [1] ', true],
  ['"text"', false],
  ['5', false],
  ['{not json}', false],
  [`[${'1,'.repeat(600_000)}1]`, false],
])('%.20s… counts as JSON: %s', (text, is) => {
  expect(jsonIn(text)).toBe(is ? text : null);
});

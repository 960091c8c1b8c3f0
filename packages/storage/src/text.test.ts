import type { JsonValue } from '@toolyard/protocol';
import { areKeysReadByNode } from '@toolyard/testing';
import { codePoint, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { decodeJson, encodeJson, scrubText } from './text.ts';

describe('text no engine can keep', () => {
  test('NUL and lone surrogates become the replacement character, pairs stay', () => {
    expect(scrubText('a\0b\ud800c😀\udc00')).toBe('a\uFFFDb\uFFFDc😀\uFFFD');
  });

  test('they are found inside JSON, in keys too, and what only looks like them is left alone', () => {
    const value = { 'k\0': ['x\ud800', { deep: '\0' }], path: 'C:\\u0000\\ud800', both: 'C:\\\0' };
    expect(decodeJson(encodeJson(value))).toEqual({
      'k\uFFFD': ['x\uFFFD', { deep: '\uFFFD' }],
      path: 'C:\\u0000\\ud800',
      both: 'C:\\\uFFFD',
    });
  });

  test('a key called __proto__ stays a key', () => {
    const text = '{"__proto__":{"a\\u0000":1}}';
    expect(encodeJson(JSON.parse(text))).toBe('{"__proto__":{"a\uFFFD":1}}');
  });

  test('any JSON comes back as it was, but for what had to be scrubbed', () => {
    // A backslash somebody wrote, told from one that begins an escape: JSON holds no NUL of its own.
    const unescaped = (written: string): string => written.replaceAll('\\\\', '\0');
    const json = (fc.jsonValue({ stringUnit: codePoint }) as fc.Arbitrary<JsonValue>).filter(areKeysReadByNode);
    fc.assert(
      fc.property(json, (value) => {
        const kept = encodeJson(value);
        expect(kept.isWellFormed()).toBe(true);
        expect(unescaped(kept)).not.toContain('\\u0000');
        expect(unescaped(kept).includes('\0u0000')).toBe(unescaped(JSON.stringify(value)).includes('\0u0000'));
        expect(encodeJson(decodeJson(kept))).toBe(kept);
      }),
    );
  });

  test('what is no JSON is refused rather than stored as nothing', () => {
    expect(() => encodeJson(undefined)).toThrow(/plain JSON/);
  });
});

import type { JsonValue } from '@toolyard/protocol';
import { areKeysReadByNode } from '@toolyard/testing';
import { codePoint, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { decodeJson, encodeJson, scrubText } from './text.ts';

describe('unrepresentable text', () => {
  test('replaces NUL and lone surrogates by the replacement character, and keeps surrogate pairs', () => {
    expect(scrubText('a\0b\ud800c😀\udc00')).toBe('a\uFFFDb\uFFFDc😀\uFFFD');
  });

  test('replaces them within JSON, also in keys, and keeps text that only looks similar', () => {
    const value = { 'k\0': ['x\ud800', { deep: '\0' }], path: 'C:\\u0000\\ud800', both: 'C:\\\0' };
    expect(decodeJson(encodeJson(value))).toEqual({
      'k\uFFFD': ['x\uFFFD', { deep: '\uFFFD' }],
      path: 'C:\\u0000\\ud800',
      both: 'C:\\\uFFFD',
    });
  });

  test('keeps a key named __proto__', () => {
    const text = '{"__proto__":{"a\\u0000":1}}';
    expect(encodeJson(JSON.parse(text))).toBe('{"__proto__":{"a\uFFFD":1}}');
  });

  test('returns any JSON unchanged except for replaced characters', () => {
    // Marks literal backslashes to distinguish them from escapes: JSON text contains no NUL itself.
    const unescaped = (written: string): string => written.replaceAll('\\\\', '\0');
    const json = (fc.jsonValue({ stringUnit: codePoint }) as fc.Arbitrary<JsonValue>).filter(areKeysReadByNode);
    fc.assert(
      fc.property(json, (value) => {
        const encoded = encodeJson(value);
        expect(encoded.isWellFormed()).toBe(true);
        expect(unescaped(encoded)).not.toContain('\\u0000');
        expect(unescaped(encoded).includes('\0u0000')).toBe(unescaped(JSON.stringify(value)).includes('\0u0000'));
        expect(encodeJson(decodeJson(encoded))).toBe(encoded);
      }),
    );
  });

  test('rejects values that are not JSON', () => {
    expect(() => encodeJson(undefined)).toThrow(/plain JSON/);
  });
});

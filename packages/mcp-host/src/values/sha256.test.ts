import { createHash } from 'node:crypto';
import { fc } from '@toolyard/testing/property';
import { expect, test } from 'vitest';
import { sha256 } from './sha256.ts';

test('equals the SHA-256 of node:crypto', () => {
  const expected = (text: string): string => createHash('sha256').update(text, 'utf8').digest('hex');
  for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1_000]) {
    expect(sha256('a'.repeat(length))).toBe(expected('a'.repeat(length)));
  }
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(expected(text));
    }),
  );
});

import { fc } from '@toolyard/testing/property';
import { expect, test } from 'vitest';
import { LineReader } from './line-reader.ts';

test('yields whole lines wherever the stream is split, also inside a character', { tags: ['D5.07'] }, () => {
  const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(30)), fc.constantFrom('\n', '\r\n'), (lines, cuts, end) => {
      const bytes = Buffer.from(lines.map((each) => each + end).join('') + 'rest');
      const reader = new LineReader(1_000_000);
      const read: string[] = [];
      let at = 0;
      for (const cut of [...cuts, bytes.length]) {
        read.push(...(reader.push(bytes.subarray(at, at + cut)) ?? []));
        at += cut;
      }
      expect(read).toEqual(lines);
      expect(reader.rest()).toBe('rest');
    }),
  );
});

test('rejects a line over the limit, but not many short ones', () => {
  const reader = new LineReader(10);
  expect(reader.push(Buffer.from('short\n'.repeat(100)))).toHaveLength(100);
  expect(reader.push(Buffer.from('01234'))).toEqual([]);
  expect(reader.push(Buffer.from('56789!'))).toBeNull();
});

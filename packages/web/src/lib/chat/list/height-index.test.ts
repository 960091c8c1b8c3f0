import { fc } from '@toolyard/testing/property';
import { expect, it } from 'vitest';
import { HeightIndex } from './height-index.ts';

const height = fc.integer({ min: 0, max: 500 });
const change = fc.oneof(
  fc.record({ type: fc.constant('push' as const), height }),
  fc.record({ type: fc.constant('set' as const), at: fc.nat(60), height }),
  fc.record({ type: fc.constant('truncate' as const), at: fc.nat(60) }),
);

it('sums heights correctly after any sequence of changes', () => {
  fc.assert(
    fc.property(fc.array(change, { maxLength: 80 }), (changes) => {
      const heights = new HeightIndex();
      const plain: number[] = [];
      for (const one of changes) {
        if (one.type === 'push') {
          heights.push(one.height);
          plain.push(one.height);
        } else if (one.type === 'truncate') {
          heights.truncate(one.at);
          plain.length = Math.min(one.at, plain.length);
        } else {
          heights.set(one.at, one.height);
          if (one.at < plain.length) plain[one.at] = one.height;
        }
      }
      const offsets = plain.map((_, index) => plain.slice(0, index).reduce((sum, next) => sum + next, 0));
      expect(offsets.map((_, index) => heights.getOffset(index))).toEqual(offsets);
      expect(heights.total).toBe(plain.reduce((sum, next) => sum + next, 0));
      expect(heights.length).toBe(plain.length);
    }),
  );
});

it('finds the row at every offset', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 70 }), (list) => {
      const heights = new HeightIndex();
      for (const one of list) heights.push(one);
      for (const index of list.keys()) {
        expect(heights.indexAt(heights.getOffset(index))).toBe(index);
        expect(heights.indexAt(heights.getOffset(index + 1) - 0.5)).toBe(index);
      }
      expect(heights.indexAt(-10)).toBe(0);
      expect(heights.indexAt(heights.total + 10)).toBe(list.length - 1);
    }),
  );
  expect(new HeightIndex().indexAt(0)).toBe(-1);
});

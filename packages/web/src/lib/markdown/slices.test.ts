import { expect, it } from 'vitest';
import { SLICE_COST } from './cost.ts';
import { IncrementalMarkdown } from './incremental.ts';
import { listLate, nextSlices, sliceDivider, type Slices } from './slices.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
/** A divider of items of which `count` are a slice. */
const by = <T>(count: number) => sliceDivider<T>({ getCost: () => SLICE_COST / count });

it('divides by cost, without losing an item', () => {
  const items = [SLICE_COST, 1, SLICE_COST - 1, SLICE_COST / 2, SLICE_COST / 2 - 1, 2, 3];
  expect(sliceDivider<number>({ getCost: (cost) => cost })(items)).toEqual([
    [SLICE_COST],
    [1, SLICE_COST - 1],
    [SLICE_COST / 2, SLICE_COST / 2 - 1, 2],
    [3],
  ]);
});

it('ends a slice where it may, but not after twice its cost', () => {
  const divide = sliceDivider<number>({
    getCost: () => SLICE_COST / 4,
    mayEnd: (before, after) => before % 5 === 0 && after > 0,
  });
  expect(divide(numbers(20)).map(({ length }) => length)).toEqual([6, 5, 5, 4]);
  const never = sliceDivider<number>({ getCost: () => SLICE_COST / 4, mayEnd: () => false });
  expect(never(numbers(20)).map(({ length }) => length)).toEqual([8, 8, 4]);
});

it('makes later slices of one box larger, so that there are few of many items', () => {
  const slices = sliceDivider<number>({ getCost: () => SLICE_COST / 10, isOneBox: true })(numbers(100_000));
  expect(slices.flat()).toEqual(numbers(100_000));
  expect(slices.slice(0, 8).every(({ length }) => length === 10)).toBe(true);
  expect(slices.length).toBeLessThan(450);
});

it('keeps unchanged slices the same objects, and moves an end with what follows', () => {
  const divide = sliceDivider<string>({ getCost: () => SLICE_COST / 2, mayEnd: (_, after) => after !== '+' });
  const before = divide([...'abcdef']);
  expect(before).toEqual([
    ['a', 'b'],
    ['c', 'd'],
    ['e', 'f'],
  ]);
  const after = divide([...'abcdefg']);
  expect(after.slice(0, 3)).toEqual(before);
  expect(after.slice(0, 3).every((slice, index) => slice === before[index])).toBe(true);
  expect(divide([...'ab+def'])).toEqual([['a', 'b', '+'], ['d', 'e'], ['f']]);
});

it('renders only the wanted slices again, keeps what was rendered, and drops what is gone', () => {
  const divide = by<number>(2);
  const before = divide(numbers(6));
  const reversed = divide(numbers(6).toReversed());
  const after = nextSlices(before, reversed, [0]);
  expect(after).toEqual([[5, 4], before[1], before[2]]);
  expect(listLate(after, reversed)).toEqual([1, 2]);
  expect(nextSlices(before, divide([0]), [0])).toEqual([[0]]);
  expect(nextSlices([], reversed, [2])).toEqual([[], [], [1, 0]]);
});

it.each([
  ['table', '| a | b |\n|---|---|\n', '| **x** | y |\n'],
  ['list', 'Items:\n\n', '- **x** y\n'],
  ['loose list', 'Items:\n\n', '1. **x** y\n\n'],
])('renders at most two slices of a %s for each chunk', (_name, start, line) => {
  const markdown = new IncrementalMarkdown();
  const divide = by<unknown>(20);
  let before: Slices<unknown> = [];
  let most = 0;
  let text = start;
  for (let count = 0; count < 240; count += 1) {
    text += line;
    const block = markdown.update(text).at(-1);
    const slices = divide(block?.type === 'table' ? block.rows : block?.type === 'list' ? block.items : []);
    most = Math.max(most, listLate(before, slices).length);
    before = slices;
  }
  expect(before.flat().length).toBe(240);
  expect(most).toBeLessThanOrEqual(2);
});

import { expect, it } from 'vitest';
import { IncrementalMarkdown } from './incremental.ts';
import { nextSlices, sliceDivider } from './slices.ts';

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

it('renders a long block in slices, two per frame', () => {
  const slices = sliceDivider<number>()(numbers(1_000), 100);
  let rendered = nextSlices([], slices, 2);
  const counts = [rendered.flat().length];
  while (rendered.some((slice, index) => slice !== slices[index])) {
    rendered = nextSlices(rendered, slices, 2);
    counts.push(rendered.flat().length);
  }
  expect(counts).toEqual([200, 400, 600, 800, 1_000]);
  expect(rendered.flat()).toEqual(numbers(1_000));
});

it('keeps what was rendered until it is replaced in another order, and drops what is gone', () => {
  const divide = sliceDivider<number>();
  const before = divide(numbers(6), 2);
  const after = nextSlices(before, divide(numbers(6).toReversed(), 2), 1);
  expect(after).toEqual([[5, 4], before[1], before[2]]);
  expect(nextSlices(before, divide([0], 2), 2)).toEqual([[0]]);
});

it.each([
  ['table', '| a | b |\n|---|---|\n', '| **x** | y |\n'],
  ['list', 'Items:\n\n', '- **x** y\n'],
  ['loose list', 'Items:\n\n', '1. **x** y\n\n'],
])('renders at most two slices of a %s for each chunk', (_name, start, line) => {
  const markdown = new IncrementalMarkdown();
  const divide = sliceDivider<unknown>();
  let before: readonly (readonly unknown[])[] = [];
  let most = 0;
  let text = start;
  for (let count = 0; count < 240; count += 1) {
    text += line;
    const block = markdown.update(text).at(-1);
    const items = block?.type === 'table' ? block.rows : block?.type === 'list' ? block.items : [];
    const slices = divide(items, 20);
    most = Math.max(most, slices.filter((slice, index) => slice !== before[index]).length);
    before = slices;
  }
  expect(before.flat().length).toBe(240);
  expect(most).toBeLessThanOrEqual(2);
});

import { expect, it } from 'vitest';
import { firstLoad, notLate } from './first-load.ts';

const manifest = {
  start: { file: 'start.js', imports: ['shared'] },
  page: { file: 'page.js', imports: ['shared', 'deep'], dynamicImports: ['later'] },
  shared: { file: 'shared.js', imports: ['deep'] },
  deep: { file: 'deep.js', imports: ['shared'] },
  style: { file: 'style.css' },
  later: { file: 'later.js', isDynamicEntry: true },
};

it('counts what is needed at once, each file once, and not what is loaded later', () => {
  const files = firstLoad(manifest, ['start', 'page', 'style']).map(({ file }) => file);
  expect(files.sort()).toEqual(['deep.js', 'page.js', 'shared.js', 'start.js']);
});

it('fails for a missing file', () => {
  expect(() => firstLoad(manifest, ['start', 'renamed'])).toThrow('renamed');
});

it('names modules that are not loaded on demand', () => {
  const merged = { ...manifest, both: { file: 'page.js', isDynamicEntry: true } };
  const first = firstLoad(merged, ['start', 'page']);
  expect(notLate(merged, first, ['later'])).toEqual([]);
  expect(notLate(merged, first, ['later', 'deep', 'both', 'unknown'])).toEqual(['deep', 'both', 'unknown']);
});

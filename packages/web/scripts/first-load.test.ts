import { expect, it } from 'vitest';
import { firstLoad } from './first-load.ts';

const manifest = {
  start: { file: 'start.js', imports: ['shared'] },
  page: { file: 'page.js', imports: ['shared', 'deep'], dynamicImports: ['later'] },
  shared: { file: 'shared.js', imports: ['deep'] },
  deep: { file: 'deep.js', imports: ['shared'] },
  style: { file: 'style.css' },
  later: { file: 'later.js' },
};

it('counts what is needed at once, each file once, and not what is loaded later', () => {
  const files = firstLoad(manifest, ['start', 'page', 'style']).map(({ file }) => file);
  expect(files.sort()).toEqual(['deep.js', 'page.js', 'shared.js', 'start.js']);
});

it('fails for a missing file', () => {
  expect(() => firstLoad(manifest, ['start', 'renamed'])).toThrow('renamed');
});

import { expect, it } from 'vitest';
import { headingLevels } from './heading-levels.ts';
import { parseMarkdown } from './incremental.ts';

it('increase by one at a time, whatever level the text starts at or skips', () => {
  const blocks = parseMarkdown('### a\n\ntext\n\n###### b\n\n### c\n\n# d\n\n## e\n');
  expect(headingLevels(blocks, 1)).toEqual([2, 2, 3, 2, 2, 3]);
});

it('do not exceed six', () => {
  expect(headingLevels(parseMarkdown('# a\n## b\n### c\n'), 5)).toEqual([6, 6, 6]);
});

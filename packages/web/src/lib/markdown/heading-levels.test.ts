import { expect, it } from 'vitest';
import { headingLevels } from './heading-levels.ts';
import { parseMarkdown } from './incremental.ts';

it('goes down one step at a time, wherever the author began and however far they jumped', () => {
  const blocks = parseMarkdown('### a\n\ntext\n\n###### b\n\n### c\n\n# d\n\n## e\n');
  expect(headingLevels(blocks, 1)).toEqual([2, 2, 3, 2, 2, 3]);
});

it('has no level below the sixth', () => {
  expect(headingLevels(parseMarkdown('# a\n## b\n### c\n'), 5)).toEqual([6, 6, 6]);
});

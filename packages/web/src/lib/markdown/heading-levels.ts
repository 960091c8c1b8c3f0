import type { MarkdownBlock } from './blocks.ts';
import type { ShownBlock } from './group-details.ts';

/**
 * The heading level of each block in the page, whatever the text starts at: below `above` and increasing by one at a
 * time, for screen readers. A block that is not a heading has the level of the heading before it.
 */
export function headingLevels(blocks: readonly (MarkdownBlock | ShownBlock)[], above: number): number[] {
  const depths: number[] = [];
  return blocks.map((block) => {
    if (block.type === 'heading') {
      while (depths.length > 0 && (depths.at(-1) ?? 0) >= block.depth) depths.pop();
      depths.push(block.depth);
    }
    return Math.min(6, above + depths.length);
  });
}

import type { MarkdownBlock } from './blocks.ts';

/**
 * The level each block's heading has in the page, whatever the author counted from: it begins below `above` and goes
 * down one step at a time, as a screen reader expects. A block that is no heading has that of the heading above it.
 */
export function headingLevels(blocks: readonly MarkdownBlock[], above: number): number[] {
  const depths: number[] = [];
  return blocks.map((block) => {
    if (block.type === 'heading') {
      while (depths.length > 0 && (depths.at(-1) ?? 0) >= block.depth) depths.pop();
      depths.push(block.depth);
    }
    return Math.min(6, above + depths.length);
  });
}

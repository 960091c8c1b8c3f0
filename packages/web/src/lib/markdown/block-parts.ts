import type { MarkdownBlock } from './blocks.ts';
import type { ShownBlock } from './group-details.ts';
import { groupDetails } from './group-details.ts';
import { headingLevels } from './heading-levels.ts';

/** Blocks that follow one another, with the level of each heading. */
export type BlockPart = { blocks: readonly ShownBlock[]; levels: readonly number[] };

/** Fewer parts are cheaper to watch, smaller ones cheaper to lay out. */
const MIN_BLOCKS = 12;

/**
 * Divides a growing answer: unchanged parts stay the same objects, so that a chunk costs as much in a long answer as in a
 * short one. Parts begin between blocks with equal margins (see `.md-part` in markdown.css), and never move.
 */
export function blockDivider(): (blocks: readonly MarkdownBlock[]) => readonly BlockPart[] {
  let before: readonly BlockPart[] = [];
  return (blocks) => {
    const shown = groupDetails(blocks);
    const levels = headingLevels(shown, 1);
    const parts: BlockPart[] = [];
    for (let from = 0; from < shown.length;) {
      let to = Math.min(from + MIN_BLOCKS, shown.length);
      while (to < shown.length && !(hasOrdinaryMargin(shown[to - 1]) && hasOrdinaryMargin(shown[to]))) to += 1;
      const part = { blocks: shown.slice(from, to), levels: levels.slice(from, to) };
      const known = before[parts.length];
      parts.push(known !== undefined && isSame(known, part) ? known : part);
      from = to;
    }
    before = parts;
    return parts;
  };
}

function hasOrdinaryMargin(block: ShownBlock | undefined): boolean {
  return block !== undefined && ['paragraph', 'list', 'quote', 'code', 'table'].includes(block.type);
}

function isSame(a: BlockPart, b: BlockPart): boolean {
  return (
    a.blocks.length === b.blocks.length &&
    a.blocks.every((block, index) => block === b.blocks[index] && a.levels[index] === b.levels[index])
  );
}

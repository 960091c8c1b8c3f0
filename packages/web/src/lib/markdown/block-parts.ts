import type { MarkdownBlock } from './blocks.ts';
import type { ShownBlock } from './group-details.ts';
import { groupDetails } from './group-details.ts';
import { headingLevels } from './heading-levels.ts';

/** Blocks that follow one another, with the level of each heading. */
export type BlockPart = { blocks: readonly ShownBlock[]; levels: readonly number[] };

/** A longer text is divided into parts, which are rendered in several frames. */
export const MAX_AT_ONCE = 36;

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

const LINE_PX = 26;
const CODE_LINE_PX = 21;
const CHARACTERS_IN_LINE = 95;
/** Longer tables scroll. */
const MAX_TABLE_PX = 576;

/** The height of a part that is not rendered yet, in pixels: an estimate, which the browser corrects without a jump. */
export function estimateHeight({ blocks }: BlockPart): number {
  return blocks.reduce((sum, block) => sum + heightOf(block), 0);
}

function heightOf(block: ShownBlock | MarkdownBlock): number {
  switch (block.type) {
    case 'code':
      return 64 + CODE_LINE_PX * block.text.split('\n').length;
    case 'table':
      return 70 + Math.min(37 * block.rows.length, MAX_TABLE_PX);
    case 'list':
      return block.items.reduce(
        (sum, item) => sum + item.blocks.reduce((inner, one) => inner + heightOf(one) - 8, 0),
        16,
      );
    case 'quote':
    case 'footnote':
      return block.blocks.reduce((sum, one) => sum + heightOf(one), 8);
    case 'paragraph':
    case 'text':
    case 'heading':
      return 18 + LINE_PX * Math.ceil(block.html.length / CHARACTERS_IN_LINE);
    case 'math':
      return 80;
    case 'rule':
    case 'details':
    case 'detailsEnd':
      return 48;
  }
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

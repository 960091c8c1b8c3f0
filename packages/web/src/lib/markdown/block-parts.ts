import type { MarkdownBlock } from './blocks.ts';
import type { ShownBlock } from './group-details.ts';
import { groupDetails } from './group-details.ts';
import { headingLevels } from './heading-levels.ts';

/** A block with the level of its heading, or of the heading before it. */
export type LevelBlock = { readonly block: ShownBlock; readonly level: number };

const known = new WeakMap<ShownBlock, LevelBlock>();

/** Blocks as they are shown. Unchanged ones stay the same objects, so that they are not rendered again. */
export function levelBlocks(blocks: readonly MarkdownBlock[], above: number, depth: number): LevelBlock[] {
  const shown = groupDetails(blocks, depth);
  const levels = headingLevels(shown, above);
  return shown.map((block, index) => {
    const level = levels[index] ?? above;
    const before = known.get(block);
    if (before?.level === level) return before;
    const next = { block, level };
    known.set(block, next);
    return next;
  });
}

/** Parts begin between blocks with equal margins: see `.md-part` in markdown.css. */
export function hasOrdinaryMargins(before: LevelBlock, after: LevelBlock): boolean {
  return ORDINARY.has(before.block.type) && ORDINARY.has(after.block.type);
}

const ORDINARY = new Set(['paragraph', 'list', 'quote', 'code', 'table']);

const LINE_PX = 26;
const CODE_LINE_PX = 21;
const CHARACTERS_IN_LINE = 95;
/** Longer tables scroll. */
const MAX_TABLE_PX = 576;

/** The height of a part that is not rendered yet, in pixels: an estimate, which the browser corrects without a jump. */
export function estimateHeight(part: readonly LevelBlock[]): number {
  return part.reduce((sum, { block }) => sum + getHeight(block), 0);
}

function getHeight(block: ShownBlock | MarkdownBlock): number {
  switch (block.type) {
    case 'code':
      return 64 + CODE_LINE_PX * block.text.split('\n').length;
    case 'table':
      return 70 + Math.min(37 * block.rows.length, MAX_TABLE_PX);
    case 'list':
      return block.items.reduce(
        (sum, item) => sum + item.blocks.reduce((inner, one) => inner + getHeight(one) - 8, 0),
        16,
      );
    case 'quote':
    case 'footnote':
      return block.blocks.reduce((sum, one) => sum + getHeight(one), 8);
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

import type { ListItem, MarkdownBlock, TableCell } from './blocks.ts';
import type { ShownBlock } from './group-details.ts';

/**
 * What rendering costs, in units of about one element or 40 characters of text. Whatever costs more than this is rendered
 * in slices, whatever it is: see slices.ts.
 */
export const SLICE_COST = 300;

const CHARACTERS = 40;
const BLOCK = 10;
/** Buttons with their icons. */
export const CONTROLS = 20;
/** KaTeX writes dozens of elements. */
const FORMULA = 40;

type Block = MarkdownBlock | ShownBlock;

/** The cost of a block; at most {@link SLICE_COST}, because what is in a more expensive one is sliced itself. */
export function costOfBlock(block: Block): number {
  switch (block.type) {
    case 'paragraph':
    case 'text':
    case 'heading':
      return BLOCK + costOfHtml(block.html);
    case 'code':
      return 2 * CONTROLS + Math.min(SLICE_COST, block.text.length / CHARACTERS);
    case 'math':
      return BLOCK + FORMULA;
    case 'table':
      return CONTROLS + costOfAll(block.rows, costOfRow);
    case 'list':
      return BLOCK + costOfAll(block.items, costOfItem);
    case 'quote':
    case 'footnote':
      return BLOCK + costOfAll(block.blocks, costOfBlock);
    case 'details':
      return BLOCK + ('blocks' in block ? costOfAll(block.blocks, costOfBlock) : 0);
    case 'rule':
    case 'detailsEnd':
      return BLOCK;
  }
}

export function costOfItem({ blocks }: ListItem): number {
  return 5 + costOfAll(blocks, costOfBlock);
}

export function costOfRow(row: readonly TableCell[]): number {
  return 1 + costOfAll(row, ({ html }) => 1 + costOfHtml(html));
}

/** The cost of inline content, as written by render.ts. */
export function costOfHtml(html: string): number {
  let cost = html.length / CHARACTERS;
  for (let at = html.indexOf('<'); at >= 0 && cost < SLICE_COST; at = html.indexOf('<', at + 1)) {
    cost += html.startsWith('code class="md-x-math', at + 1) ? FORMULA : 0.5;
  }
  return Math.min(SLICE_COST, cost);
}

/** The cost of a token of inline content: a formula, or another one of this length. */
export function costOfSpan(isFormula: boolean, length: number): number {
  return isFormula ? FORMULA : 1 + length / CHARACTERS;
}

/** The sum, up to {@link SLICE_COST}. */
export function costOfAll<T>(items: readonly T[], getCost: (item: T) => number): number {
  let cost = 0;
  for (const item of items) {
    cost += getCost(item);
    if (cost >= SLICE_COST) return SLICE_COST;
  }
  return cost;
}

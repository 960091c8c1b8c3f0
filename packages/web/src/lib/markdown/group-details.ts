import type { MarkdownBlock } from './blocks.ts';
import { MAX_NESTING } from './lexer.ts';

/** A block as it is shown: what follows `<details>` is in it. `blocks` of others are grouped when they are shown. */
export type ShownBlock = Exclude<MarkdownBlock, { type: 'details' | 'detailsEnd' }> | Section;
type Section = { type: 'details'; open: boolean; summary: string | null; blocks: readonly MarkdownBlock[] };

/**
 * Moves what is between `<details>` and `</details>` into one block. Not done while parsing: a section with blank lines
 * would be parsed again for each chunk until its end arrives. A tag without its counterpart is text.
 */
export function groupDetails(blocks: readonly MarkdownBlock[], depth = 0): readonly ShownBlock[] {
  // The list itself, if there is nothing to group: this runs for each chunk.
  if (!blocks.some(isTag)) return blocks as readonly ShownBlock[];
  const shown: ShownBlock[] = [];
  for (let index = 0; index < blocks.length; index++) {
    const block = blocks[index];
    if (block === undefined) break;
    if (block.type === 'detailsEnd') {
      shown.push({ type: 'paragraph', html: '&lt;/details&gt;' });
    } else if (block.type !== 'details') {
      shown.push(block);
    } else if (depth >= MAX_NESTING) {
      shown.push({ type: 'paragraph', html: block.summary ?? '' });
    } else {
      const end = findEnd(blocks, index + 1);
      shown.push(getSection(block, blocks.slice(index + 1, end)));
      index = end;
    }
  }
  return shown;
}

const known = new WeakMap<MarkdownBlock, Section>();

/** The same object as long as its content is the same: it is not rendered again for each chunk. */
function getSection(tag: MarkdownBlock & { type: 'details' }, blocks: readonly MarkdownBlock[]): Section {
  const before = known.get(tag);
  if (before?.blocks.length === blocks.length && blocks.every((block, index) => block === before.blocks[index])) {
    return before;
  }
  const section = { ...tag, blocks };
  known.set(tag, section);
  return section;
}

function isTag({ type }: MarkdownBlock): boolean {
  return type === 'details' || type === 'detailsEnd';
}

/** Index of the end of the section whose content starts at `from`. */
function findEnd(blocks: readonly MarkdownBlock[], from: number): number {
  let open = 1;
  for (let index = from; index < blocks.length; index++) {
    const type = blocks[index]?.type;
    if (type === 'details') open += 1;
    else if (type === 'detailsEnd') open -= 1;
    if (open === 0) return index;
  }
  return blocks.length;
}

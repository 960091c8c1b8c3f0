/**
 * A block of Markdown, ready to render. `html` is inline content only: every character of the text is escaped, every
 * tag is written by this folder. Unchanged blocks stay the same objects.
 */
export type MarkdownBlock =
  | { type: 'paragraph'; html: string }
  /** The content of a list item without paragraphs. */
  | { type: 'text'; html: string }
  | { type: 'heading'; depth: number; html: string }
  | { type: 'rule' }
  | CodeBlock
  | { type: 'quote'; blocks: readonly MarkdownBlock[] }
  | { type: 'list'; ordered: boolean; start: number; items: readonly ListItem[] }
  | { type: 'table'; header: readonly TableCell[]; rows: readonly (readonly TableCell[])[] };

/** `open`: its end has not arrived. */
export type CodeBlock = { type: 'code'; language: string; text: string; open: boolean };

/** `done` is null if it is not a task. */
export type ListItem = { done: boolean | null; blocks: readonly MarkdownBlock[] };

export type TableCell = { html: string; align: 'left' | 'center' | 'right' | null };

/** `fresh`, with the objects of `before` wherever they are equal. */
export function keepBlocks(
  fresh: readonly MarkdownBlock[],
  before: readonly MarkdownBlock[],
): readonly MarkdownBlock[] {
  return keepList(fresh, before, keepBlock);
}

function keepBlock(fresh: MarkdownBlock, before: MarkdownBlock): MarkdownBlock {
  switch (fresh.type) {
    case 'paragraph':
    case 'text':
      return before.type === fresh.type && before.html === fresh.html ? before : fresh;
    case 'heading':
      return before.type === 'heading' && before.depth === fresh.depth && before.html === fresh.html ? before : fresh;
    case 'rule':
      return before.type === 'rule' ? before : fresh;
    case 'code':
      return before.type === 'code' && sameCode(before, fresh) ? before : fresh;
    case 'quote': {
      if (before.type !== 'quote') return fresh;
      const blocks = keepBlocks(fresh.blocks, before.blocks);
      return blocks === before.blocks ? before : { type: 'quote', blocks };
    }
    case 'list': {
      if (before.type !== 'list') return fresh;
      const items = keepList(fresh.items, before.items, keepItem);
      const same = items === before.items && before.ordered === fresh.ordered && before.start === fresh.start;
      return same ? before : { ...fresh, items };
    }
    case 'table': {
      if (before.type !== 'table') return fresh;
      const header = keepList(fresh.header, before.header, keepCell);
      const rows = keepList(fresh.rows, before.rows, (row, old) => keepList(row, old, keepCell));
      return header === before.header && rows === before.rows ? before : { type: 'table', header, rows };
    }
  }
}

function keepItem(fresh: ListItem, before: ListItem): ListItem {
  const blocks = keepBlocks(fresh.blocks, before.blocks);
  return blocks === before.blocks && fresh.done === before.done ? before : { done: fresh.done, blocks };
}

function keepCell(fresh: TableCell, before: TableCell): TableCell {
  return before.html === fresh.html && before.align === fresh.align ? before : fresh;
}

function sameCode(a: CodeBlock, b: CodeBlock): boolean {
  return a.language === b.language && a.text === b.text && a.open === b.open;
}

function keepList<T>(fresh: readonly T[], before: readonly T[], keep: (fresh: T, before: T) => T): readonly T[] {
  let same = fresh.length === before.length;
  const kept = fresh.map((item, index) => {
    const old = before[index];
    const merged = old === undefined ? item : keep(item, old);
    if (merged !== old) same = false;
    return merged;
  });
  return same ? before : kept;
}

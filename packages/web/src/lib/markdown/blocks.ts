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
  /** `open`: its end has not arrived. */
  | { type: 'math'; tex: string; open: boolean }
  | { type: 'quote'; alert: AlertKind | null; blocks: readonly MarkdownBlock[] }
  /** What follows is inside of it, up to `detailsEnd` or the end: see group-details.ts. */
  | { type: 'details'; open: boolean; summary: string | null }
  | { type: 'detailsEnd' }
  | Footnote
  | { type: 'list'; ordered: boolean; start: number; items: readonly ListItem[] }
  | { type: 'table'; header: readonly TableCell[]; rows: readonly (readonly TableCell[])[] };

/** What follows `[^label]:`. */
export type Footnote = { type: 'footnote'; label: string; blocks: readonly MarkdownBlock[] };

export type AlertKind = 'note' | 'tip' | 'important' | 'warning' | 'caution';

/** `info`: what follows the language in the info string. `open`: its end has not arrived. */
export type CodeBlock = { type: 'code'; language: string; info: string; text: string; open: boolean };

/** `done` is null if it is not a task. */
export type ListItem = { done: boolean | null; blocks: readonly MarkdownBlock[] };

export type TableCell = { html: string; align: 'left' | 'center' | 'right' | null };

/** `next`, with the objects of `previous` wherever they are equal. */
export function keepBlocks(
  next: readonly MarkdownBlock[],
  previous: readonly MarkdownBlock[],
): readonly MarkdownBlock[] {
  return keepList(next, previous, keepBlock);
}

function keepBlock(next: MarkdownBlock, previous: MarkdownBlock): MarkdownBlock {
  switch (next.type) {
    case 'paragraph':
    case 'text':
      return previous.type === next.type && previous.html === next.html ? previous : next;
    case 'heading':
      return previous.type === 'heading' && previous.depth === next.depth && previous.html === next.html
        ? previous
        : next;
    case 'rule':
    case 'detailsEnd':
      return previous.type === next.type ? previous : next;
    case 'code':
      return previous.type === 'code' && sameCode(previous, next) ? previous : next;
    case 'quote': {
      if (previous.type !== 'quote') return next;
      const blocks = keepBlocks(next.blocks, previous.blocks);
      return blocks === previous.blocks && previous.alert === next.alert ? previous : { ...next, blocks };
    }
    case 'footnote': {
      if (previous.type !== 'footnote') return next;
      const blocks = keepBlocks(next.blocks, previous.blocks);
      return blocks === previous.blocks && previous.label === next.label ? previous : { ...next, blocks };
    }
    case 'math':
      return previous.type === 'math' && previous.tex === next.tex && previous.open === next.open ? previous : next;
    case 'details':
      return previous.type === 'details' && previous.summary === next.summary && previous.open === next.open
        ? previous
        : next;
    case 'list': {
      if (previous.type !== 'list') return next;
      const items = keepList(next.items, previous.items, keepItem);
      const same = items === previous.items && previous.ordered === next.ordered && previous.start === next.start;
      return same ? previous : { ...next, items };
    }
    case 'table': {
      if (previous.type !== 'table') return next;
      const header = keepList(next.header, previous.header, keepCell);
      const rows = keepList(next.rows, previous.rows, (row, old) => keepList(row, old, keepCell));
      return header === previous.header && rows === previous.rows ? previous : { type: 'table', header, rows };
    }
  }
}

function keepItem(next: ListItem, previous: ListItem): ListItem {
  const blocks = keepBlocks(next.blocks, previous.blocks);
  return blocks === previous.blocks && next.done === previous.done ? previous : { done: next.done, blocks };
}

function keepCell(next: TableCell, previous: TableCell): TableCell {
  return previous.html === next.html && previous.align === next.align ? previous : next;
}

function sameCode(a: CodeBlock, b: CodeBlock): boolean {
  return a.language === b.language && a.info === b.info && a.text === b.text && a.open === b.open;
}

function keepList<T>(next: readonly T[], previous: readonly T[], keep: (next: T, previous: T) => T): readonly T[] {
  let same = next.length === previous.length;
  const result = next.map((item, index) => {
    const old = previous[index];
    const merged = old === undefined || old === item ? item : keep(item, old);
    if (merged !== old) same = false;
    return merged;
  });
  return same ? previous : result;
}

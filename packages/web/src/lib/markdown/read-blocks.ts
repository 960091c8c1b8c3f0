import { RecentMap } from '../recent-map.ts';
import type { MarkdownBlock } from './blocks.ts';
import { IncrementalMarkdown, parseMarkdown } from './incremental.ts';

/** Parsed texts, for messages that are scrolled back into the page. */
const known = new RecentMap<string, readonly MarkdownBlock[]>(200);

/** A longer text is parsed in steps of this length, as if it arrived in them: parsing it at once would block the page. */
export const STEP = 100_000;

/**
 * Parses one text that may grow; a complete text is parsed once per page load. `to`: how much of it may be parsed.
 */
export function blocksReader(): (text: string, open: boolean, to?: number) => readonly MarkdownBlock[] {
  let growing: IncrementalMarkdown | null = null;
  return (text, open, to = Infinity) => {
    const before = growing === null && !open ? known.get(text) : undefined;
    if (before !== undefined) return before;
    const isPart = to < text.length;
    if (growing === null && !open && !isPart) return remember(text, parseMarkdown(text));
    growing ??= new IncrementalMarkdown();
    if (open || isPart) return growing.update(withoutUndecided(text.slice(0, to)));
    return remember(text, growing.update(text, { whole: true }));
  };
}

/** Whether {@link blocksReader} has parsed the text before. */
export function isKnown(text: string): boolean {
  return known.has(text);
}

/** An image that contains its data, which is still arriving: thousands of characters that mean nothing to a reader. */
const OPEN_DATA_IMAGE = /^!\[[^\]\n]*\]\(data:image\/[^\s)]*$/;

/**
 * Without marks at the end that would look different until the next character arrives. Dashes begin a list item, but by
 * themselves they make a heading of the paragraph above; two backticks are code until the third ends it.
 */
function withoutUndecided(text: string): string {
  const image = text.lastIndexOf('![');
  if (image >= 0 && OPEN_DATA_IMAGE.test(text.slice(image))) return text.slice(0, image);
  const line = text.slice(text.lastIndexOf('\n') + 1);
  const [, marks = ''] = /^[ \t>]*((?:-+|=+)[ \t]*|`{1,2}|~{1,2})$/.exec(line) ?? [];
  return marks === '' ? text : text.slice(0, -marks.length);
}

function remember(text: string, blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  known.set(text, blocks);
  return blocks;
}

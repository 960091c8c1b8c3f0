import type { MarkdownBlock } from './blocks.ts';
import { IncrementalMarkdown, parseMarkdown } from './incremental.ts';

/** Parsed texts, for messages that are scrolled back into the page. */
const known = new Map<string, readonly MarkdownBlock[]>();
const MAX_TEXTS = 200;

/** Parses one text that may grow; a complete text is parsed once per page load. */
export function blocksReader(): (text: string, open: boolean) => readonly MarkdownBlock[] {
  let growing: IncrementalMarkdown | null = null;
  return (text, open) => {
    if (growing !== null || open) {
      growing ??= new IncrementalMarkdown();
      const blocks = growing.update(open ? withoutUndecided(text) : text, { whole: !open });
      if (!open) remember(text, blocks);
      return blocks;
    }
    const before = known.get(text);
    return before ?? remember(text, parseMarkdown(text));
  };
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
  const [oldest] = known.keys();
  if (known.size > MAX_TEXTS && oldest !== undefined) known.delete(oldest);
  return blocks;
}

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
      const blocks = growing.update(text, { whole: !open });
      if (!open) remember(text, blocks);
      return blocks;
    }
    const before = known.get(text);
    return before ?? remember(text, parseMarkdown(text));
  };
}

function remember(text: string, blocks: readonly MarkdownBlock[]): readonly MarkdownBlock[] {
  known.set(text, blocks);
  const [oldest] = known.keys();
  if (known.size > MAX_TEXTS && oldest !== undefined) known.delete(oldest);
  return blocks;
}

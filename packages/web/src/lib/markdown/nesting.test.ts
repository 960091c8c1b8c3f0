import { expect, it } from 'vitest';
import type { MarkdownBlock } from './blocks.ts';
import { parseMarkdown } from './incremental.ts';
import { MAX_NESTING } from './lexer.ts';

function measureDepth(blocks: readonly MarkdownBlock[]): number {
  const inside = blocks.map((block) => {
    if (block.type === 'quote') return 1 + measureDepth(block.blocks);
    if (block.type === 'list') return 1 + Math.max(0, ...block.items.map((item) => measureDepth(item.blocks)));
    return 0;
  });
  return Math.max(0, ...inside);
}

const steps = (line: string) => Array.from({ length: 500 }, (_, level) => '  '.repeat(level) + line).join('\n');

it.each([
  ['quotes', `${'> '.repeat(5_000)}the end`],
  ['lists on one line', `${'- '.repeat(2_000)}the end`],
  ['lists in quotes', `${'> 1. '.repeat(2_000)}the end`],
])('shows %s nested too deeply as text', (_, text) => {
  const blocks = parseMarkdown(text);
  expect(measureDepth(blocks)).toBe(MAX_NESTING);
  expect(JSON.stringify(blocks)).toContain('the end');
});

it('shows what is nested too deeply in a long text as text, earlier', () => {
  const blocks = parseMarkdown(steps('- the end'));
  expect(measureDepth(blocks)).toBeGreaterThan(6);
  expect(measureDepth(blocks)).toBeLessThan(MAX_NESTING);
  expect(JSON.stringify(blocks).split('the end').length).toBe(501);
});

it.each([
  ['emphasis', `${'*a _b '.repeat(2_000)}the end${' b_ a*'.repeat(2_000)}`],
  ['links', `${'['.repeat(2_000)}the end${'](https://example.org)'.repeat(2_000)}`],
  ['images', `${'!['.repeat(2_000)}the end${'](https://example.org)'.repeat(2_000)}`],
])('shows spans nested too deeply as text: %s', (_, text) => {
  const [block] = parseMarkdown(text);
  expect(block).toMatchObject({ type: 'paragraph', html: expect.stringContaining('the end') as string });
  const open = (block?.type === 'paragraph' ? block.html : '').match(/<(em|strong|a) ?/g) ?? [];
  expect(open.length).toBeLessThanOrEqual(2 * MAX_NESTING);
});

import { describe, expect, it } from 'vitest';
import { hasOrdinaryMargins, levelBlocks, type LevelBlock } from './block-parts.ts';
import { costOfBlock, SLICE_COST } from './cost.ts';
import { IncrementalMarkdown, parseMarkdown } from './incremental.ts';
import { sliceDivider, type Slices } from './slices.ts';

const paragraphs = (count: number) =>
  Array.from({ length: count }, (_, index) => `Paragraph ${String(index)}. ${'Words '.repeat(80)}\n\n`);

function parter(): (text: string, whole?: boolean) => Slices<LevelBlock> {
  const markdown = new IncrementalMarkdown();
  const divide = sliceDivider<LevelBlock>({ getCost: ({ block }) => costOfBlock(block), mayEnd: hasOrdinaryMargins });
  return (text, whole = false) => divide(levelBlocks(markdown.update(text, { whole }), 1, 0));
}

describe('parts of a growing answer', () => {
  it('keeps earlier parts as they are while the text grows', () => {
    const divide = parter();
    const text = paragraphs(60).join('');
    const before = divide(text);
    const after = divide(`${text}The end grows`);
    expect(before.length).toBeGreaterThan(2);
    expect(after.slice(0, before.length - 1).every((part, index) => part === before[index])).toBe(true);
    expect(after.flat().length).toBe(61);
  });

  it.each([
    ['sections', '<details>\n<summary>Title</summary>\n\nText\n\n</details>\n\n'],
    ['quotes', '> Text\n\n'],
    ['headings', '## Text\n\nText\n\n'],
  ])('keeps %s as they are while the text grows', (_name, block) => {
    const divide = parter();
    const text = block.repeat(100);
    const before = divide(text);
    const after = divide(`${text}The end grows`);
    expect(after.slice(0, before.length - 1).every((part, index) => part === before[index])).toBe(true);
  });

  it('begins a part between blocks with equal margins only', () => {
    const text = `${paragraphs(13).join('')}# Heading\n\nText\n\nText\n\n---\n\n${paragraphs(20).join('')}`;
    const parts = parter()(text, true);
    expect(parts.length).toBeGreaterThan(1);
    for (const [index, part] of parts.entries()) {
      if (index > 0) expect(part[0]?.block.type).toBe('paragraph');
      if (index < parts.length - 1) expect(part.at(-1)?.block.type).toBe('paragraph');
    }
  });

  it('moves no part while text arrives in any pieces', () => {
    const text = paragraphs(30).join('').replace('Paragraph 12.', '## Twelve').replace('Paragraph 20.', '- a\n- b');
    const listLengths = (parts: Slices<LevelBlock>): number[] => parts.map(({ length }) => length);
    const whole = listLengths(parter()(text, true));
    const divide = parter();
    let lengths: number[] = [];
    for (let end = 0; end <= text.length; end += 61) {
      const before = lengths;
      lengths = listLengths(divide(text.slice(0, end)));
      expect(lengths.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
    }
    expect(lengths.slice(0, -1)).toEqual(whole.slice(0, -1));
  });

  it('numbers heading levels across parts', () => {
    const blocks = parter()(`# One\n\n${paragraphs(30).join('')}### Three\n\nText\n`, true).flat();
    expect(blocks.length).toBe(33);
    expect(blocks.find(({ block }) => block.type === 'heading' && block.depth === 3)?.level).toBe(3);
  });
});

/** A text of each kind that is too expensive to be rendered at once, in one block or many. */
it.each([
  ['paragraphs', 'A word. '.repeat(20) + '\n\n'],
  ['lines', 'A word. '.repeat(5) + '\n'],
  ['words', 'A word. '],
  ['emphasis', '*a* **b** '],
  ['links', '[a](https://a.example) '],
  ['images', '![a](https://a.example/b.png) '],
  ['formulas', '$x$ '],
  ['formula blocks', '$$x$$\n\n'],
  ['headings', '# A\n'],
  ['rules', '---\n\n'],
  ['items', '- a\n'],
  ['rows', '| a | b |\n|---|---|\n' + '| a | b |\n'.repeat(20) + '\n\n'],
  ['quotes', '> a\n\n'],
  ['lines of a quote', '> a\n>\n'],
  ['alerts', '> [!note]\n> a\n\n'],
  ['sections', '<details>\n\na\n\n</details>\n\n'],
  ['code blocks', '```js\na\n```\n\n'],
  ['diagrams', '```mermaid\na\n```\n\n'],
  ['footnotes', '[^a]: note\n'],
])('%s are divided by their cost', (_name, piece) => {
  const blocks = levelBlocks(parseMarkdown(piece.repeat(Math.ceil(15_000 / piece.length))), 1, 0);
  const getCost = ({ block }: LevelBlock): number => costOfBlock(block);
  const parts = sliceDivider<LevelBlock>({ getCost, mayEnd: hasOrdinaryMargins })(blocks);
  for (const part of parts) {
    expect(part.slice(0, -1).reduce((cost, block) => cost + getCost(block), 0)).toBeLessThan(2 * SLICE_COST);
  }
  // A block alone is sliced inside.
  if (parts.length === 1) expect(blocks.map(getCost).reduce((a, b) => a + b, 0)).toBeGreaterThanOrEqual(SLICE_COST);
});

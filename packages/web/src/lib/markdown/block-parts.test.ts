import { describe, expect, it } from 'vitest';
import { blockDivider } from './block-parts.ts';
import { IncrementalMarkdown } from './incremental.ts';

const paragraphs = (count: number) => Array.from({ length: count }, (_, index) => `Paragraph ${String(index)}.\n\n`);

describe('parts of a growing answer', () => {
  it('keeps earlier parts as they are while the text grows', () => {
    const markdown = new IncrementalMarkdown();
    const divide = blockDivider();
    let text = paragraphs(40).join('');
    const before = divide(markdown.update(text));
    text += 'The end grows';
    const after = divide(markdown.update(text));
    expect(before.length).toBeGreaterThan(2);
    expect(after.slice(0, before.length - 1).every((part, index) => part === before[index])).toBe(true);
    expect(after.flatMap(({ blocks }) => blocks).length).toBe(41);
  });

  it('begins a part between blocks with equal margins only', () => {
    const text = `${paragraphs(12).join('')}# Heading\n\nText\n\nText\n\n---\n\nText\n\nText\n\n`;
    const parts = blockDivider()(new IncrementalMarkdown().update(text, { whole: true }));
    for (const [index, { blocks }] of parts.entries()) {
      if (index > 0) expect(blocks[0]?.type).toBe('paragraph');
      if (index < parts.length - 1) expect(blocks.at(-1)?.type).toBe('paragraph');
    }
    expect(parts.length).toBe(2);
  });

  it('moves no part while text arrives in any pieces', () => {
    const text = paragraphs(30).join('').replace('Paragraph 12.', '## Twelve').replace('Paragraph 20.', '- a\n- b');
    const whole = blockDivider()(new IncrementalMarkdown().update(text, { whole: true })).map(
      ({ blocks }) => blocks.length,
    );
    const markdown = new IncrementalMarkdown();
    const divide = blockDivider();
    let lengths: number[] = [];
    for (let end = 0; end <= text.length; end += 7) {
      const before = lengths;
      lengths = divide(markdown.update(text.slice(0, end))).map(({ blocks }) => blocks.length);
      expect(lengths.slice(0, Math.max(0, before.length - 1))).toEqual(before.slice(0, -1));
    }
    expect(lengths.slice(0, -1)).toEqual(whole.slice(0, -1));
  });

  it('numbers heading levels across parts', () => {
    const text = `# One\n\n${paragraphs(30).join('')}### Three\n\nText\n`;
    const parts = blockDivider()(new IncrementalMarkdown().update(text, { whole: true }));
    expect(parts.flatMap(({ levels }) => levels).length).toBe(33);
    const last = parts.at(-1);
    const place = last?.blocks.findIndex(({ type }) => type === 'heading') ?? -1;
    expect(last?.levels[place]).toBe(3);
  });
});

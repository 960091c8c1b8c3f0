import { describe, expect, it } from 'vitest';
import type { MarkdownBlock } from './blocks.ts';
import { groupDetails } from './group-details.ts';
import { IncrementalMarkdown, parseMarkdown } from './incremental.ts';
import { MAX_NESTING } from './lexer.ts';

const paragraph = (html: string): MarkdownBlock => ({ type: 'paragraph', html });

describe('alerts', () => {
  it.each(['note', 'tip', 'important', 'warning', 'caution'])('reads the kind %s', (alert) => {
    expect(parseMarkdown(`> [!${alert.toUpperCase()}]\n> *Text*.\n>\n> - item`)).toMatchObject([
      { type: 'quote', alert, blocks: [paragraph('<em>Text</em>.'), { type: 'list' }] },
    ]);
  });

  it.each(['> [!NOTE] text', '> [!OTHER]\n> text', '> text\n> [!NOTE]', '> \\[!NOTE]\n> text'])(
    'keeps %j a quote',
    (text) => {
      expect(parseMarkdown(text)).toMatchObject([{ type: 'quote', alert: null }]);
    },
  );

  it('reads nested ones once each', () => {
    const text = Array.from({ length: 60 }, (_, index) => `${'> '.repeat(index + 1)}[!NOTE]`).join('\n');
    expect(parseMarkdown(text)).toMatchObject([{ type: 'quote', alert: 'note' }]);
  });
});

describe('footnotes', () => {
  const note = (label: string, ...blocks: MarkdownBlock[]) => ({ type: 'footnote', label, blocks });
  const reference = (text: string) => `<span class="md-x-note">${text}</span>`;

  it('reads references and definitions', () => {
    expect(
      parseMarkdown('A[^1] and B[^b].\n\n[^1]: First *note*\ngoes on\n[^b]: Other\n\n    second paragraph'),
    ).toEqual([
      paragraph(`A${reference('[^1]')} and B${reference('[^b]')}.`),
      note('1', paragraph('First <em>note</em>\ngoes on')),
      note('b', paragraph('Other'), paragraph('second paragraph')),
    ]);
  });

  it.each([
    ['[^1]: note\n\nText', paragraph('Text')],
    ['[^1]: note\n# Heading', { type: 'heading', depth: 1, html: 'Heading' }],
    ['[^1]: note\n- item', { type: 'list' }],
  ])('ends them: %j', (text, after) => {
    expect(parseMarkdown(text)).toMatchObject([note('1', paragraph('note')), after]);
  });

  it('shows a note in a note as text', () => {
    expect(parseMarkdown(`${'[^1]: '.repeat(5_000)}x`)).toMatchObject([{ type: 'footnote', blocks: [{}] }]);
  });

  it('keeps the blocks before a definition the same objects', () => {
    const markdown = new IncrementalMarkdown();
    const text = 'A[^1].\n\nB[^2].\n\nC.\n\n';
    const before = markdown.update(`${text}D`);
    const after = markdown.update(`${text}D\n\n[^1]: One\n[^2]: Two`);
    for (const index of [0, 1, 2]) expect(after[index]).toBe(before[index]);
  });
});

describe('numbers of sources', () => {
  const source = (text: string) => `<span class="md-x-source">${text}</span>`;

  it.each([
    ['Rain [1], wind [2][3].', `Rain ${source('[1]')}, wind ${source('[2]')}${source('[3]')}.`],
    ['雨【1†source】', `雨${source('【1†source】')}`],
    ['a[1] and `[1]`', 'a[1] and <code>[1]</code>'],
    ['[100] and [x]', '[100] and [x]'],
  ])('finds them in %j', (text, html) => {
    expect(parseMarkdown(text)).toEqual([paragraph(html)]);
  });

  it('leaves links alone', () => {
    const links = parseMarkdown('[1] [2](https://example.org/b) [3][1]\n\n[1]: https://example.org/a');
    expect(JSON.stringify(links)).not.toContain('md-x-source');
  });
});

describe('sections', () => {
  const shown = (text: string) => groupDetails(parseMarkdown(text));

  it('groups what is between the tags', () => {
    expect(shown('<details>\n<summary>More *text*</summary>\n\nInside\n\n- item\n\n</details>\n\nAfter')).toMatchObject(
      [
        {
          type: 'details',
          open: false,
          summary: 'More <em>text</em>',
          blocks: [paragraph('Inside'), { type: 'list' }],
        },
        paragraph('After'),
      ],
    );
  });

  it('reads one on a line, one that is open, and one without a summary', () => {
    const blocks = [paragraph('text')];
    expect(shown('<details><summary>a</summary>text</details>')).toMatchObject([{ summary: 'a', blocks }]);
    const section = { type: 'details', summary: 'a', blocks };
    const one = '<details><summary>a</summary>text</details>';
    expect(shown(`Before ${one}`)).toMatchObject([{ type: 'paragraph' }, section]);
    expect(shown(`${one} after`)).toMatchObject([section, paragraph('after')]);
    expect(shown(`${one}${one}`)).toMatchObject([section, section]);
    expect(shown('Use `<details><summary>` and `</details>`, or <details>.')).toMatchObject([{ type: 'paragraph' }]);
    const [list] = parseMarkdown(`- item ${one}\n- other`);
    const item = list?.type === 'list' ? list.items[0]?.blocks : [];
    expect(groupDetails(item ?? [])).toMatchObject([
      { html: 'item ' },
      { type: 'details', summary: 'a', blocks: [{ html: 'text' }] },
    ]);
    expect(shown('<details open>\n\ntext\n\n</details>')).toMatchObject([{ open: true, summary: null, blocks }]);
  });

  it('shows one whose end has not arrived', () => {
    expect(shown('<details>\n<summary>Mo')).toMatchObject([{ type: 'details', summary: 'Mo', blocks: [] }]);
  });

  it('nests them', () => {
    const blocks = [{ type: 'details', blocks: [paragraph('inner')] }, paragraph('outer')];
    const [outer] = shown('<details>\n\n<details>\n\ninner\n\n</details>\n\nouter\n\n</details>');
    expect(outer?.type === 'details' && groupDetails(outer.blocks)).toMatchObject(blocks);
  });

  it('shows tags without a counterpart, with attributes, or nested too deeply as text', () => {
    expect(shown('text</details>\n\n</details>')).toContainEqual(paragraph('&lt;/details&gt;'));
    expect(JSON.stringify(shown('<details ontoggle=alert(1)>'))).toContain('&lt;details');
    const many = parseMarkdown('<details>\n\n'.repeat(50));
    expect(groupDetails(many, MAX_NESTING)[0]?.type).toBe('paragraph');
  });

  it('parses only the end of a long open section again', () => {
    const markdown = new IncrementalMarkdown();
    const text = `<details>\n\n${'A paragraph.\n\n'.repeat(50)}`;
    const before = markdown.update(`${text}One`);
    const after = markdown.update(`${text}One more`);
    for (let index = 0; index < 50; index++) expect(after[index]).toBe(before[index]);
  });
});

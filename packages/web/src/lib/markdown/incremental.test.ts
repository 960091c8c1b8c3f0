import { cases, codePoint, fc } from '@toolyard/testing/property';
import { Lexer } from 'marked';
import { describe, expect, it, vi } from 'vitest';
import { IncrementalMarkdown, parseMarkdown } from './incremental.ts';

const BLOCKS = [
  'A paragraph with **bold**, *emphasis*, `code` and ~~nothing~~.',
  'Two lines\nof one paragraph with a [link](https://example.org/a "title").',
  '# Heading',
  '## Heading with `code`',
  'Setext\n======',
  'Another\n---',
  '---',
  '```ts\nconst a = 1;\n\nconst b = `x`;\n```',
  '````md\n```\ninner\n```\n````',
  '~~~\ntilde\n~~~',
  '   ```js\n   indented();\n   ```',
  '```python\ndef open_fence():\n    return 1',
  '- one\n- two\n  - nested\n    more\n- three',
  '- loose\n\n- list\n\n  with a paragraph',
  '1. first\n2. second\n\n   ```sh\n   ls\n   ```',
  '3) other\n4) numbers',
  '- [ ] task\n- [x] done',
  '* star\n+ plus',
  '> quote\n> goes on\nlazily\n>\n> - list in it',
  '> > nested\n> back',
  `${'> '.repeat(40)}deep\n> ${'- '.repeat(40)}deep`,
  '| a | b |\n|---|:-:|\n| 1 | **2** |\n| 3 |',
  'a | b\n--|--\n1 | 2',
  '    indented code\n\n    goes on',
  'See [the docs][ref] and [ref] and [later].',
  '[ref]: https://example.org/ref "A title"',
  '[later]: <https://example.org/later>',
  '[ref]: https://example.org/second',
  '[broken]:',
  '<div class="x">\n\n**html** is text\n\n</div>',
  'Water is H<sub>2</sub>O<br>and <script>alert(1)</script> <b>bold</b>',
  '<!-- a comment\n\nover blanks -->',
  '![picture](https://evil.example/p.png?q=1)',
  'https://example.org and mail@example.org',
  '中文、日本語 and 한국어 together 👩‍👩‍👧‍👦🎉',
  'line with two spaces  \nand a break\\\nor so',
  'a &amp; b &lt; c &copy; &#x41;',
  'Here \\(a^2 + *b* c*\\) and\n\\[ x_1 * y_2 * z \\]',
  'An open \\(a *b* and \\[not a link\\] \\) \\]',
  '$x$ costs $5, and *$a*b$* is $$c$$',
  '$$\na\n- b\n$$',
  'So:\n\\[\n# a\n\\]\ngoes on',
  '$$\nopen\n',
  '```math\nx^2\n```',
  'A claim[^1] and another[^note]; see [1] and a[2] and 【3†source】.',
  '[^1]: The first note.\ngoes on\n\n    with a paragraph',
  '[^note]: Other\n[^2]: - list\n  - nested',
  '> [!NOTE]\n> Useful *text*.\n>\n> - list',
  '> [!warning]\n>\n> later',
  '- > [!TIP]\n  > in a list',
  '<details>\n<summary>More **text**</summary>\n\nInside $x$',
  '<details open><summary>One line</summary>text</details>',
  '</details>',
  '\\*not emphasised\\* 2 * 3 * 4',
  '#not a heading\n#\n####### seven',
  '- ',
  '1.',
  '>',
  '```',
  '~~~~',
  '\t\ttabs',
  '   ',
  '***',
  '=',
  '|',
];

const separator = fc.constantFrom('\n', '\n\n', '\n\n\n', '', ' ', '\n \n', '\r\n', '\r\n\r\n', '\n\t\n');
const document = fc
  .array(
    fc.tuple(fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...BLOCKS) }, fc.string({ unit: codePoint })), separator),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((parts) => parts.map(([block, end]) => block + end).join(''));

const ROWS = ['| a | **b** |', '| c', 'd', '| [ref] | `x` |', ' | e | f | g |', '|', '||', '| \\| | |'];
const ITEMS = [
  'one',
  '**two**',
  '[ ] task',
  '[x] done',
  '[ref]',
  '',
  '# h',
  '`c`\n  more',
  'a\nlazy',
  'b\n\n  c',
  '- in',
];
const BETWEEN = [
  '',
  '\n',
  '\n\n',
  '---\n',
  '- - -\n',
  '-',
  '-x',
  '===\n',
  '# h\n',
  '> q\n',
  '```\n',
  '* star\n',
  '+\n',
  '2) x\n',
  'text\n',
  '\n\nEnd\n',
  '  ```\n',
  '\n    code\n',
  '|---|\n',
  '<details>\n',
  '$$\n',
  '[^1]: note\n',
  '  \n',
  'text\n\n',
];

/** Tables and lists of dozens of rows and items, with what may end them in between. */
const longBlocks = fc
  .array(
    fc.tuple(
      fc.constantFrom(
        '| a | b |\n|---|:-:|\n',
        'Text\n| a | b |\n|---|---|\n',
        '',
        'Text:\n',
        '# Head\n',
        '1. first\n',
        '3) third\n',
      ),
      fc.oneof(
        fc.array(fc.constantFrom(...ROWS), { maxLength: 40 }).map((rows) => rows.map((row) => `${row}\n`)),
        fc
          .tuple(
            fc.constantFrom('- ', '* ', '1. ', '7) ', ' - ', '-\t'),
            fc.constantFrom('\n', '\n', '\n', '\n\n'),
            fc.array(fc.constantFrom(...ITEMS), { maxLength: 40 }),
          )
          .map(([mark, end, items]) => items.map((item) => `${mark}${item}${end}`)),
      ),
      fc.array(fc.tuple(fc.nat(40), fc.constantFrom(...BETWEEN)), { maxLength: 3 }),
      fc.constantFrom(...BETWEEN),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((parts) =>
    parts
      .map(([start, lines, between, end]) => {
        const mixed = [...lines];
        for (const [place, line] of between) mixed.splice(place, 0, line);
        return `${start}${mixed.join('')}${end}`;
      })
      .join(''),
  );

/** Splits at code units, so that surrogates arrive alone. */
function cut(text: string, lengths: readonly number[]): string[] {
  const prefixes: string[] = [];
  let end = 0;
  for (let i = 0; end < text.length; i += 1) {
    end = Math.min(text.length, end + (lengths[i % lengths.length] ?? 1));
    prefixes.push(text.slice(0, end));
  }
  return prefixes;
}

const chunking = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 7 });

describe('incremental Markdown', () => {
  it('gives the same result as parsing at once, however it is split', () => {
    fc.assert(
      fc.property(document, chunking, (text, lengths) => {
        const markdown = new IncrementalMarkdown();
        for (const prefix of cut(text, lengths)) markdown.update(prefix);
        expect(markdown.update(text, { whole: true })).toEqual(parseMarkdown(text));
      }),
      cases(1500),
    );
  });

  it('gives at every moment the result of parsing the text so far', () => {
    fc.assert(
      fc.property(document, chunking, (text, lengths) => {
        const markdown = new IncrementalMarkdown();
        for (const prefix of cut(text, lengths)) {
          const blocks = markdown.update(prefix);
          if (!/[\r\uD800-\uDBFF]$/.test(prefix)) expect(blocks).toEqual(parseMarkdown(prefix));
        }
      }),
      cases(400),
    );
  });

  it('gives the result of parsing the text so far in long tables and lists', () => {
    fc.assert(
      fc.property(
        longBlocks,
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 7 }),
        (text, lengths) => {
          const markdown = new IncrementalMarkdown();
          for (const prefix of cut(text, lengths)) expect(markdown.update(prefix)).toEqual(parseMarkdown(prefix));
          expect(markdown.update(text, { whole: true })).toEqual(parseMarkdown(text));
        },
      ),
      cases(150),
    );
  });

  it.each([
    ['table', '| a | b |\n|---|---|\n', '| **x** | y |\n'],
    ['list', 'Items:\n\n', '- **x** y\n'],
    ['loose list', 'Items:\n\n', '1. **x** y\n\n'],
  ])('parses a few rows or items of a long %s for each chunk', (_name, start, line) => {
    const spans = vi.spyOn(Lexer.prototype, 'inlineTokens');
    const markdown = new IncrementalMarkdown();
    let text = start;
    let most = 0;
    for (let count = 0; count < 150; count += 1) {
      spans.mockClear();
      text += line;
      markdown.update(text);
      // Each has bold text, and this in it.
      most = Math.max(most, spans.mock.calls.filter(([source]) => source.includes('**')).length);
    }
    spans.mockRestore();
    expect(markdown.blocks).toEqual(parseMarkdown(text));
    expect(most).toBeGreaterThan(0);
    expect(most).toBeLessThanOrEqual(14);
  });

  it('never shows half a surrogate pair', () => {
    const markdown = new IncrementalMarkdown();
    expect(markdown.update('a \uD83D')).toEqual([{ type: 'paragraph', html: 'a ' }]);
    expect(markdown.update('a \uD83C\uDF89')).toEqual([{ type: 'paragraph', html: 'a 🎉' }]);
  });

  it('keeps closed blocks the same objects', () => {
    const text = '# One\n\nTwo **bold**\n\n- three\n- four\n\nFive and six';
    const markdown = new IncrementalMarkdown();
    const before = markdown.update(text);
    const after = markdown.update(`${text} and seven`);
    expect(after).toHaveLength(4);
    for (const index of [0, 1, 2]) expect(after[index]).toBe(before[index]);
  });

  it('resolves links written before their definition', () => {
    const markdown = new IncrementalMarkdown();
    const text = 'See [the docs][d].\n\nMore text here.\n\nAnd more.\n\n';
    markdown.update(text);
    const [first] = markdown.update(`${text}[d]: https://example.org/\n`, { whole: true });
    expect(first).toMatchObject({ html: expect.stringContaining('href="https://example.org/"') as string });
  });

  it.each([
    ['table', '| a | b |\n|---|---|\n', '| [ref] | y |\n'],
    ['list', '', '- [ref]\n'],
  ])('resolves links in finished rows or items of a %s, whose definition follows', (_name, start, line) => {
    const text = `${start}${line.repeat(40)}\n[ref]: https://example.org/\n\nEnd`;
    const markdown = new IncrementalMarkdown();
    for (let end = 1; end <= text.length; end += 1) markdown.update(text.slice(0, end));
    const blocks = markdown.update(text, { whole: true });
    expect(blocks).toEqual(parseMarkdown(text));
    expect(JSON.stringify(blocks).match(/https:\/\/example\.org/g)?.length).toBe(40);
  });

  it.each([
    ['a heading', `Text:\n-\tone\n${'- one\n'.repeat(8)}- \n${'- one\n'.repeat(8)}`],
    ['a formula', `$$\nText\n${'- one\n'.repeat(2)}- two\n\n  more\n${'- one\n'.repeat(9)}$$\n- one\n`],
  ])('does not read a part of a long list as %s', (_name, text) => {
    const markdown = new IncrementalMarkdown();
    for (let end = 1; end <= text.length; end += 1) {
      expect(markdown.update(text.slice(0, end))).toEqual(parseMarkdown(text.slice(0, end)));
    }
  });

  it('restarts for a text that does not continue the last one', () => {
    const markdown = new IncrementalMarkdown();
    markdown.update('# Heading\n\nand more');
    expect(markdown.update('other', { whole: true })).toEqual([{ type: 'paragraph', html: 'other' }]);
  });
});

import { cases, fc } from '@toolyard/testing/property';
import { expect, it } from 'vitest';
import { parseMarkdown } from './incremental.ts';
import { inlinePieces, MAX_INLINE, pieceGroups, splitPieces, textPieces } from './inline-pieces.ts';

const DATA = `![a dot](data:image/png;base64,${'iVBORw0KGgo'.repeat(3_000)}=)`;

it.each([
  ['words', 'some words '],
  ['one word', 'a'],
  ['Chinese', '沒有空格的文字。'],
  ['pairs of surrogates', '𠮷'],
  ['joined emoji', '👩‍👩‍👧‍👦'],
  ['emoji with a skin tone', '👍🏽'],
  ['combining marks', 'e\u0301'],
  ['only combining marks', '\u0301'],
  ['only joiners', '\u200d'],
  ['lines', 'a line\n'],
])('divides %s without losing or cutting a character', (_name, unit) => {
  const text = unit.repeat(Math.ceil((3 * MAX_INLINE) / unit.length));
  for (const pieces of [inlinePieces(text), textPieces(text)]) {
    expect(pieces.join('')).toBe(text);
    expect(pieces.length).toBeGreaterThan(2);
    for (const piece of pieces) expect(piece.length <= MAX_INLINE && piece.isWellFormed()).toBe(true);
    const isWord = unit.length > 1 && !unit.includes(' ');
    if (isWord) expect(pieces.every((piece) => piece.startsWith(unit))).toBe(true);
  }
});

it('ends the pieces of a growing text where those of the whole text end', () => {
  const unit = fc.constantFrom('word ', 'a'.repeat(3_000), '文', '👍🏽'.repeat(40), '\n', DATA, '![a](', 'e\u0301');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 30 }), fc.nat(100), (units, percent) => {
      const text = units.join('');
      const pieces = inlinePieces(text);
      expect(pieces.join('')).toBe(text);
      const part = inlinePieces(text.slice(0, Math.floor((text.length * percent) / 100)));
      // The last is open; before an image whose end has not arrived, the one before it as well.
      expect(pieces.slice(0, Math.max(0, part.length - 2))).toEqual(part.slice(0, -2));
    }),
    cases(100),
  );
});

it('does not cut an image that contains its data', () => {
  const text = `${'words '.repeat(1_300)}${DATA} ${'words '.repeat(1_300)}`;
  const [block] = parseMarkdown(text);
  expect(
    block?.type === 'paragraph' && splitPieces(block.html).filter((piece) => piece.includes('<img class=')),
  ).toEqual([expect.stringContaining('iVBORw0KGgo') as string]);
});

it.each([
  ['a paragraph', ''],
  ['a heading', '# '],
  ['an item', '- '],
  ['a quote', '> '],
])('parses %s of any length in pieces, each of which is complete', (_name, mark) => {
  const text = 'plain **bold** `code` [link](https://a.example) '.repeat(1_000).trim();
  const html = JSON.stringify(parseMarkdown(mark + text));
  expect(html.split('<strong>bold</strong>').length).toBe(1_001);
  expect(splitPieces(html).length).toBeGreaterThan(5);
});

it.each([
  ['formulas', '$x$ ', /class="md-x-math"/g],
  ['formulas within emphasis', '*$x$ $y$*, ', /class="md-x-math"/g],
  ['links', '[a](https://a.example) ', /<a /g],
  ['images', '![a](https://a.example) ', /<a /g],
  ['footnote references', 'a[^1] ', /md-x-note/g],
  ['emphasis', '*a* ', /<em>/g],
  ['line breaks', 'a<br>', /<br>/g],
])('renders a paragraph of thousands of %s in pieces, and loses none', (_name, unit, tag) => {
  const [block] = parseMarkdown(`x ${unit.repeat(2_000)}end`);
  const html = block?.type === 'paragraph' ? block.html : '';
  const found = unit.split('$').length > 3 ? 4_000 : 2_000;
  expect(html.match(tag)?.length).toBe(found);
  const groups = pieceGroups(html);
  expect(splitPieces(html).length).toBeGreaterThan(5);
  expect(groups.flatMap(splitPieces)).toEqual(splitPieces(html));
  for (const piece of splitPieces(html)) expect(piece.match(tag)?.length ?? 0).toBeLessThan(200);
});

it('continues emphasis in the next piece', () => {
  const [block] = parseMarkdown(`**bold *and ${'$x$ '.repeat(12)}italic* end**`);
  const pieces = block?.type === 'paragraph' ? splitPieces(block.html) : [];
  expect(pieces.length).toBeGreaterThan(1);
  for (const piece of pieces.slice(1)) expect(piece).toMatch(/^<strong>(?:<em>| )/);
});

it('leaves ordinary paragraphs as they are', () => {
  const text = 'Words with **bold** and `code`, a [link](https://a.example) and $x$. '.repeat(3);
  expect(JSON.stringify(parseMarkdown(text))).not.toContain('<wbr>');
});

it.each([
  ['columns', `|${' a |'.repeat(20_000)}\n|${'-|'.repeat(20_000)}\n|${' b |'.repeat(20_000)}`],
  ['characters in a cell', `| a |\n|---|\n| ${'word '.repeat(4_000)}|`],
])('shows a table of too many %s as its text', (_name, text) => {
  expect(parseMarkdown(`${text}\n\nend`)).toMatchObject([{ type: 'code', text }, { type: 'paragraph' }]);
});

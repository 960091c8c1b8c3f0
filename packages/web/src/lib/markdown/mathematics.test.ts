import { expect, it } from 'vitest';
import { parseMarkdown } from './incremental.ts';

const html = (text: string) => parseMarkdown(text)[0];

it.each([
  String.raw`\(a^2\)`,
  String.raw`\(x\)`,
  String.raw`\[ \frac{a}{b} = c_1 * d_2 * e \]`,
  String.raw`\(a_1\) and \(b_1\)`,
])('keeps mathematics verbatim: %s', (text) => {
  expect(html(text)).toEqual({ type: 'paragraph', html: text });
});

it('spans several lines and has its tags escaped', () => {
  expect(html('\\[\na < b\n\\]')).toEqual({ type: 'paragraph', html: '\\[\na &lt; b\n\\]' });
});

it.each([
  [String.raw`\[not a link\](x)`, '[not a link](x)'],
  [String.raw`a \( b`, 'a ( b'],
  [String.raw`\(\)`, '()'],
])('removes the backslashes of escaped brackets around words: %s', (text, shown) => {
  expect(html(text)).toEqual({ type: 'paragraph', html: shown });
});

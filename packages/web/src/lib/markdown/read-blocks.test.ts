import { expect, it } from 'vitest';
import { blocksReader } from './read-blocks.ts';

it('does not show a paragraph as a heading while a list item below it begins', () => {
  const read = blocksReader();
  const text = 'Intro:\n- one\n  - two\n\n> Quote\n> - three\n\n---\n\nEnd';
  for (let end = 1; end <= text.length; end += 1)
    expect(JSON.stringify(read(text.slice(0, end), true)), text.slice(0, end)).not.toContain('"heading"');
  expect(read(text, false).map(({ type }) => type)).toEqual(['paragraph', 'list', 'quote', 'rule', 'paragraph']);
});

it('shows headings that are underlined once their line is complete, or the text is', () => {
  const read = blocksReader();
  expect(read('Title\n==', true)).toMatchObject([{ type: 'paragraph' }]);
  expect(read('Title\n==\n', true)).toMatchObject([{ type: 'heading' }]);
  expect(blocksReader()('Title\n--', false)).toMatchObject([{ type: 'heading' }]);
});

it('does not show the end of a code block as code', () => {
  const read = blocksReader();
  const text = 'Code:\n\n```js\na\n\n~~~\n```\n\nEnd';
  for (let end = 1; end <= text.length; end += 1)
    expect(JSON.stringify(read(text.slice(0, end), true)), text.slice(0, end)).not.toMatch(/[^`]`{1,2}["\\]/);
  expect(read(text, false)).toMatchObject([{}, { text: 'a\n\n~~~' }, {}]);
});

it('shows no data of an image while it arrives', () => {
  const read = blocksReader();
  const text = 'See:\n\n![a dot](data:image/png;base64,iVBORw0KGgoAAAANSUhEUg==)\n\nEnd';
  const shown = (end: number): string => JSON.stringify(read(text.slice(0, end), true));
  for (let end = text.indexOf('data:') + 12; end <= text.indexOf(')'); end += 1) {
    expect(shown(end), text.slice(0, end)).not.toContain('base64');
  }
  expect(JSON.stringify(read(text, false))).toMatch(/<img class=..md-data.. src=..data:image/);
});

import { expect, test } from 'vitest';
import { foldCase, isPlainText, showHidden } from './hidden-characters.ts';

test('attack 16: writes out characters that a reader does not see', () => {
  expect(showHidden('a\u200bb')).toBe('a⟨U+200B⟩b');
  expect(showHidden('\u202eabc\u2069')).toBe('⟨U+202E⟩abc⟨U+2069⟩');
  expect(showHidden('x\u{e0041}\u{e007f}')).toBe('x⟨U+E0041⟩⟨U+E007F⟩');
  expect(showHidden('\u001b[31m\r\u0000')).toBe('⟨U+001B⟩[31m⟨U+000D⟩⟨U+0000⟩');
  expect(showHidden('\ufe0f\u200d\ud800')).toBe('⟨U+FE0F⟩⟨U+200D⟩⟨U+D800⟩');
});

test('keeps visible characters', () => {
  for (const text of ['plain\ttext\n', '工具，說明', 'naïve café', '⚠️ 👩‍💻 👍🏽', 'שלום'])
    expect(showHidden(text)).toBe(text);
});

test('tells texts, short and long, of which `foldText` changes only case and spaces', () => {
  const characters = [
    'a',
    'Z',
    '~',
    ' ',
    '\t',
    '\n',
    '\r',
    '%',
    '\0',
    '\u0008',
    '\v',
    '\f',
    '\u001f',
    '\x7f',
    'é',
    'ａ',
    '\u200b',
  ];
  for (const character of characters) {
    for (const text of [`a${character}b`, `${'x'.repeat(12_000)}${character}41`]) {
      const isPlain = /^[\t\n\r -$&-~]*$/.test(text);
      expect([character, isPlainText(text)]).toEqual([character, isPlain]);
      if (isPlain) expect(foldCase(text)).toBe(text.replace(/\s+/g, ' ').toLowerCase());
    }
  }
});

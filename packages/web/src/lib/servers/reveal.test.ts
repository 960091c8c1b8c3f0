import { expect, it } from 'vitest';
import { hasHiddenText, reveal } from './reveal.ts';

it('shows hidden characters as escapes and keeps the rest', () => {
  expect(reveal('a\u200bb\u{e0041}')).toEqual([
    { text: 'a', hidden: false },
    { text: '⟨U+200B⟩', hidden: true },
    { text: 'b', hidden: false },
    { text: '⟨U+E0041⟩', hidden: true },
  ]);
  expect(reveal('plain 文字\n')).toEqual([{ text: 'plain 文字\n', hidden: false }]);
  expect(hasHiddenText('a\u202e')).toBe(true);
  expect(hasHiddenText('plain')).toBe(false);
});

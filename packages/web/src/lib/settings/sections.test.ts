import { expect, it } from 'vitest';
import { SECTIONS, sectionOf } from './sections.ts';

it('finds each section by its name, and by a word of another address', () => {
  for (const one of SECTIONS) {
    expect(sectionOf(one)).toBe(one);
    for (const address of [one.toUpperCase(), `${one}-settings`, `my_${one}`, `old.${one}`])
      expect(sectionOf(address)).toBe(one);
  }
  expect(sectionOf('assistant-tasks')).toBe('tasks');
});

it.each(['', 'nowhere', 'toolsmith', 'constructor', '__proto__', '設定'])('%j is no section', (address) => {
  expect(sectionOf(address)).toBeNull();
});

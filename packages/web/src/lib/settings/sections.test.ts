import { expect, it } from 'vitest';
import { SECTIONS, findSection } from './sections.ts';

it('finds each section by its name, and by a word of another address', () => {
  for (const one of SECTIONS) {
    expect(findSection(one)).toBe(one);
    for (const address of [one.toUpperCase(), `${one}-settings`, `my_${one}`, `old.${one}`])
      expect(findSection(address)).toBe(one);
  }
  expect(findSection('assistant-tasks')).toBe('tasks');
});

it.each(['', 'nowhere', 'toolsmith', 'constructor', '__proto__', '設定'])('%j is no section', (address) => {
  expect(findSection(address)).toBeNull();
});

import { expect, it } from 'vitest';
import { codeFileName, numberedLines } from './code-file.ts';

it.each([
  ['typescript', 'code.ts'],
  ['Python', 'code.py'],
  ['json', 'code.json'],
  ['', 'code.txt'],
  ['constructor', 'code.constructor'],
  ['../../etc', 'code.txt'],
])('names the file of a block of %j', (language, name) => {
  expect(codeFileName(language)).toBe(name);
});

it('makes an element of each line', () => {
  const line = (text: string) => `<span class="md-line">${text}\n</span>`;
  expect(numberedLines('a\n\n<span>b</span>\n')).toBe(line('a') + line('') + line('<span>b</span>'));
  expect(numberedLines('a')).toBe(line('a'));
});

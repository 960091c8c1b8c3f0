import { expect, test } from 'vitest';
import { plainText } from './plain-text.ts';
import { toTerms } from './search-text.ts';
import { createSnippet } from './snippet.ts';

test.each([
  ['## A **bold word** and `code`', 'A bold word and code'],
  ['- see [the **docs**](https://a.example/b "Docs") ![x](y)[^1]', 'see the docs x'],
  ['> *said* ~~old~~\n* two * 3\n- [x] done', 'said old\ntwo * 3\ndone'],
  ['> [!NOTE]\n> Mind this', '\nMind this'],
  ['| a | b |\n|---|:-:|\n| 1 | 2 |\n\n---\nend', '  a   b  \n\n  1   2  \n\n\nend'],
  ['**a *b* c** and ***d***, 這是**重點**。', 'a b c and d, 這是重點。'],
  ['`__init__` and __init__.py, snake_case_name, 2**3 and 4**5, a * b * c', null],
  ['```sh\n# comment\nls | wc **x**\n```\nafter', '# comment\nls | wc **x**\nafter'],
  ['one<br>two <b>three</b> 1 < 2 > 0 \\*literal\\*', 'one two  three  1 < 2 > 0 *literal*'],
])('removes Markdown markup: %s', (markdown, text) => {
  expect(plainText(markdown)).toBe(text ?? '__init__ and init.py, snake_case_name, 2**3 and 4**5, a * b * c');
});

test('accepts any text, whose length it never exceeds', () => {
  // A pattern that takes quadratic time would not end.
  for (const piece of ['[', '*', '**a ', '_a', '`', '<b', '> ', '|-', '\\', '#', '![x](']) {
    const text = piece.repeat(100_000 / piece.length);
    expect(plainText(text).length).toBeLessThanOrEqual(text.length);
  }
});

test('a snippet has no markup, unless only the markup matches', () => {
  const text = `${'word '.repeat(20)}\n\n## A **heading**\n\n- [link](https://example.org/target)`;
  expect(createSnippet(text, toTerms('heading'), plainText)).toMatch(/A \u0002heading\u0003 link$/);
  expect(createSnippet(text, toTerms('target'), plainText)).toContain('\u0002target\u0003');
});

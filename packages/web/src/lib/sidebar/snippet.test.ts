import { expect, it } from 'vitest';
import { snippetPieces } from './snippet.ts';

it.each([
  ['## A **bold \u0002word\u0003** and `code`', 'A bold word and code'],
  ['- see [the \u0002docs\u0003](https://a.example/b) ![x](y)', 'see the docs x'],
  ['> *said* ~~old~~\n* two * 3', 'said old\ntwo * 3'],
  ['| a | \u0002b\u0003 |\n|---|:-:|\n| 1 | 2 |', ' a b 1 2 '],
  ['snake_case and __init__.py', 'snake_case and init.py'],
])('removes Markdown markup: %s', (snippet, shown) => {
  expect(
    snippetPieces(snippet)
      .map(({ text }) => text)
      .join(''),
  ).toBe(shown);
});

it('splits a snippet into matches and surrounding text', () => {
  expect(snippetPieces('… 請問\u0002東京\u0003現在 \u0002Tokyo\u0003')).toEqual([
    { text: '… 請問', found: false },
    { text: '東京', found: true },
    { text: '現在 ', found: false },
    { text: 'Tokyo', found: true },
  ]);
});

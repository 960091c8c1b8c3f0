import { expect, it } from 'vitest';
import { snippetPieces } from './snippet.ts';

it('splits a snippet into matches and surrounding text', () => {
  expect(snippetPieces('… 請問\u0002東京\u0003現在 \u0002Tokyo\u0003')).toEqual([
    { text: '… 請問', found: false },
    { text: '東京', found: true },
    { text: '現在 ', found: false },
    { text: 'Tokyo', found: true },
  ]);
});

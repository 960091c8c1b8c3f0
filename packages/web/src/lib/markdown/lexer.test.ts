import { cases, fc } from '@toolyard/testing/property';
import { Lexer } from 'marked';
import { expect, it } from 'vitest';
import { lex } from './lexer.ts';

const piece = fc.oneof(
  fc.constantFrom(
    'ww',
    'www.',
    'http',
    '://',
    '  \n',
    ' \n',
    '\n',
    '&#65;',
    '&amp;',
    '!',
    '~',
    '_',
    '<b>',
    'a@b.c',
    '\\',
    '"',
    '>',
  ),
  fc.string({ unit: 'grapheme', maxLength: 4 }),
);

it('reads a text without marks as marked does', () => {
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const text = `a${pieces.join('')}b`.replace(/\n\s*/g, '\nx').replace(/[\r$【]/g, '');
      const [token] = lex(text, {});
      const [known] = new Lexer({ gfm: true }).lex(text);
      if (token?.type !== 'paragraph' || token.tokens?.length !== 1 || token.tokens[0]?.type !== 'text') return;
      expect(token).toEqual(known);
    }),
    cases(1000),
  );
});

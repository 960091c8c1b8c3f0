import { describe, expect, test } from 'vitest';
import { codePieces } from './code-pieces.ts';

const linesFrom = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `line ${String(from + index)}\n`).join('');

describe('pieces of code', () => {
  test('short code is one piece, laid out at once', () => {
    expect(codePieces([], 'a\nb')).toEqual({ pieces: [{ html: '', text: 'a\nb', lines: 1 }], isLong: false });
    expect(codePieces([], '')).toEqual({ pieces: [], isLong: false });
  });

  test('have the same lines whether highlighted or not', () => {
    const plain = codePieces([], linesFrom(0, 1000) + 'end');
    expect(plain.isLong).toBe(true);
    expect(plain.pieces).toHaveLength(26);
    const partly = codePieces([linesFrom(0, 40), linesFrom(40, 50)], linesFrom(50, 1000) + 'end');
    const texts = ({ pieces }: typeof plain) => pieces.map(({ html, text }) => html + text);
    expect(texts(partly)).toEqual(texts(plain));
    expect(partly.pieces[1]).toMatchObject({ text: linesFrom(50, 80), lines: 40 });
  });

  test('a highlighted end without a newline is not continued', () => {
    const { pieces } = codePieces(['a'], 'b\n');
    expect(pieces.map(({ html, text }) => [html, text])).toEqual([
      ['a', ''],
      ['', 'b\n'],
    ]);
  });
});

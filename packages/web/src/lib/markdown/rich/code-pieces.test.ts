import { cases, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { codeDivider, codePieceEnd, type CodePiece } from './code-pieces.ts';

const linesFrom = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `line ${String(from + index)}\n`).join('');
const getText = ({ html, text }: CodePiece): string => html + text;

describe('pieces of code', () => {
  test('short code is one piece, laid out at once', () => {
    const { pieces, isLong } = codeDivider()('a\nb', [], 0);
    expect(pieces).toMatchObject([{ html: '', text: 'a\nb', lines: 1, line: 0, isCut: false }]);
    expect(isLong).toBe(false);
    expect(codeDivider()('', [], 0).pieces).toEqual([]);
  });

  test('have the same lines whether highlighted or not', () => {
    const text = `${linesFrom(0, 1000)}end`;
    const plain = codeDivider()(text, [], 0);
    expect(plain.isLong).toBe(true);
    expect(plain.pieces).toHaveLength(26);
    const coloured = [linesFrom(0, 40), linesFrom(40, 50)];
    const partly = codeDivider()(text, coloured, coloured.join('').length);
    expect(partly.pieces.map(getText)).toEqual(plain.pieces.map(getText));
    expect(partly.pieces[1]).toMatchObject({ html: linesFrom(40, 50), text: linesFrom(50, 80), lines: 40, line: 40 });
  });

  test('stay the same objects while code is added', () => {
    const divide = codeDivider();
    const before = divide(linesFrom(0, 200), [], 0).pieces;
    const after = divide(linesFrom(0, 210), [], 0).pieces;
    expect(after.slice(0, 5).every((piece, index) => piece === before[index])).toBe(true);
  });

  test('lines that are too long are cut, and others are not', () => {
    const text = `short\n${'x'.repeat(20_000)}\nshort\nshort\n`;
    const { pieces } = codeDivider()(text, [], 0);
    expect(pieces.map(({ text, line, continues, isCut }) => [text.length, line, continues, isCut])).toEqual([
      [6, 0, false, false],
      [8000, 1, false, true],
      [8000, 1, true, true],
      [4001, 1, true, false],
      [12, 2, false, false],
    ]);
  });

  test('of any code lose nothing, and do not move when lines are added', () => {
    const line = fc.constantFrom(
      '',
      'a',
      'x'.repeat(300),
      'word '.repeat(1_000),
      '文'.repeat(9_000),
      '👍🏽'.repeat(2_500),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 120 }), fc.nat(100), (lines, percent) => {
        const text = lines.map((one) => `${one}\n`).join('');
        const { pieces } = codeDivider()(text, [], 0);
        expect(pieces.map(getText).join('')).toBe(text);
        for (const { text: part } of pieces) expect(part.length <= 8000 && part.isWellFormed()).toBe(true);
        const stop = text.lastIndexOf('\n', (text.length * percent) / 100) + 1;
        for (let start = 0, index = 0; start < stop; index += 1) {
          const end = codePieceEnd(text, start, stop);
          if (end < stop) expect(end - start).toBe(getText(pieces[index] as CodePiece).length);
          start = end;
        }
      }),
      cases(100),
    );
  });
});

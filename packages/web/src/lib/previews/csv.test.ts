import { describe, expect, test } from 'vitest';
import { readCsv } from './csv.ts';

describe('reading CSV', () => {
  test.each<[text: string, rows: string[][]]>([
    [
      'a,b\n1,2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
    ],
    [
      'a;b\r\n"1;2";3\r\n',
      [
        ['a', 'b'],
        ['1;2', '3'],
      ],
    ],
    [
      'a\tb\n1\t"x"" y"',
      [
        ['a', 'b'],
        ['1', 'x" y'],
      ],
    ],
    [
      'a,b\n"two\nlines",\n\n',
      [
        ['a', 'b'],
        ['two\nlines', ''],
      ],
    ],
    [
      '\uFEFFa,b\n"x" y,2',
      [
        ['a', 'b'],
        ['x y', '2'],
      ],
    ],
    [
      'a,b\n"x"; y,2',
      [
        ['a', 'b'],
        ['x; y', '2'],
      ],
    ],
    [
      'a,b\n1,',
      [
        ['a', 'b'],
        ['1', ''],
      ],
    ],
    ['', []],
  ])('%j', (text, rows) => {
    expect(readCsv(text)).toEqual({ rows, width: rows.length === 0 ? 0 : 2 });
  });

  test('names the line of a quoted value without an end', () => {
    expect(readCsv('a,b\n1,2\n3,"four\n5,6\n')).toEqual({ line: 3 });
  });

  test('has the width of the longest row', () => {
    expect(readCsv('a\n1,2,3\n')).toMatchObject({ width: 3 });
  });
});

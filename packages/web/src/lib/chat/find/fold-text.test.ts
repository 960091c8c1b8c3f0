import { describe, expect, it } from 'vitest';
import { foldQuery, foldText, getLetters, matchesIn } from './fold-text.ts';

const found = (text: string, query: string) =>
  matchesIn(foldText(text), foldQuery(query)).map(({ start, end }) => text.slice(start, end));

describe('matches of a query', () => {
  it('ignores case, accents, width and white space', () => {
    expect(found('Crème brûlée, CREME', 'creme')).toEqual(['Crème', 'CREME']);
    expect(found('ＡＢＣ and abc', 'abc')).toEqual(['ＡＢＣ', 'abc']);
    expect(found('two\n   lines', 'two lines')).toEqual(['two\n   lines']);
  });

  it('finds characters within Chinese, Japanese and Korean text', () => {
    expect(found('今天台北的天氣很好，明天的天氣呢？', '天氣')).toEqual(['天氣', '天氣']);
    expect(found('ガラス', 'ガ')).toEqual(['ガ']);
    expect(found('한국어', '국')).toEqual(['국']);
  });

  it('keeps offsets after characters that fold to several or to none', () => {
    expect(found('ﬁne 🚀 e\u0301te', 'ete')).toEqual(['e\u0301te']);
    expect(found('🚀🚀 end', 'END')).toEqual(['end']);
  });

  it('matches nothing for an empty query', () => {
    expect(found('text', '  ')).toEqual([]);
  });
});

it('reduces text to its letters, without Markdown and link targets', () => {
  expect(getLetters('a **bold**, [linked](https://example.org/x) text')).toBe(getLetters('a bold linked text'));
});

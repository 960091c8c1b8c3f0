import { codePoint, fc } from '@toolyard/testing/property';
import { describe, expect, test } from 'vitest';
import { searchText, toTerms, toMatch } from './search-text.ts';
import { createSnippet } from './snippet.ts';

describe('indexed text', () => {
  test('contains words without case and accents, and CJK bigrams plus the last character', () => {
    expect(searchText('Die Zeit, in TOKYO: 東京の時間!')).toBe('die zeit in tokyo 東京 京の の時 時間 間');
    expect(searchText('Über naïve Ａ１')).toBe('uber naive a1');
    expect(searchText('GPT4東京tower')).toBe('gpt4 東京 京 tower');
    expect(searchText('서울 시간')).toBe('서울 울 시간 간');
    expect(searchText('人')).toBe('人');
  });

  test('does not split a surrogate pair', () => {
    expect(searchText('𠮷野家')).toBe('𠮷野 野家 家');
  });

  test('does not depend on Unicode composition', () => {
    expect(searchText('ガラス u\u0308ber'.normalize('NFD'))).toBe(searchText('ガラス über'));
    expect(searchText('ガラス')).not.toBe(searchText('カラス'));
  });
});

describe('a query', () => {
  test('becomes quoted terms; the last word is a prefix, also a single character', () => {
    expect(toMatch(toTerms('time in Tok'))).toBe('"time" "in" "tok" *');
    expect(toMatch(toTerms('東京の'))).toBe('"東京 京の"');
    expect(toMatch(toTerms('京 zeit'))).toBe('"京" * "zeit" *');
    expect(toMatch(toTerms('"a" OR b* -c NEAR(d)'))).toBe('"a" "or" "b" "c" "near" "d" *');
    expect(toTerms(' *"-() ')).toEqual([]);
  });

  test('of any length has a limited number of terms', () => {
    expect(toTerms('a b '.repeat(10_000))).toHaveLength(16);
  });
});

describe('a snippet', () => {
  const marked = (text: string, query: string): string =>
    createSnippet(text, toTerms(query)).replaceAll('\u0002', '[').replaceAll('\u0003', ']');

  test('marks every match in its original spelling', () => {
    expect(marked('Zeit ist Geld, ZEIT ist alles.', 'zeit')).toBe('[Zeit] ist Geld, [ZEIT] ist alles.');
    expect(marked('我想知道東京的時間', '東京')).toBe('我想知道[東京]的時間');
    expect(marked('Über Tokio', 'uber tok')).toBe('[Über] [Tokio]');
    expect(marked('東京東京', '東京 京東')).toBe('[東京東京]');
    expect(marked('ｶﾞﾗｽの家', 'ガラス')).toBe('[ｶﾞﾗｽの家]');
  });

  test('marks whole words, except the one being typed', () => {
    expect(marked('Zeiten und Zeit', 'zeit und')).toBe('Zeiten [und] [Zeit]');
    expect(marked('Zeiten und Zeit', 'und zeit')).toBe('[Zeiten] [und] [Zeit]');
  });

  test('shows the text around the first match of a long text', () => {
    const text = `${'before '.repeat(100)}needle ${'after '.repeat(100)}`;
    const snippet = marked(text, 'needle');
    expect(snippet).toMatch(/^…(before )+\[needle\] (after ?)+…?/);
    expect(snippet.endsWith('…')).toBe(true);
    expect(snippet.length).toBeLessThan(200);
  });

  test('is one line without markers from the text itself', () => {
    expect(marked('a\u0002needle\u0003\n\n\tb', 'needle')).toBe('a [needle] b');
  });

  test('never fails and is never longer than the limit, for any text and query', () => {
    fc.assert(
      fc.property(fc.string({ unit: codePoint }), fc.string({ unit: codePoint }), (text, query) => {
        const snippet = createSnippet(text.repeat(20), toTerms(query));
        expect(snippet.isWellFormed()).toBe(true);
        expect(snippet.split('\u0002').length).toBe(snippet.split('\u0003').length);
      }),
    );
  });
});

test('accents without a letter are neither searched nor found', () => {
  expect(toTerms('\u0301 \u0300\u0301')).toEqual([]);
  expect(searchText('\u0301').trim()).toBe('');
});

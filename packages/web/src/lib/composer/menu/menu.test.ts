import { describe, expect, it } from 'vitest';
import { filterEntries } from './filter-entries.ts';
import { findTrigger } from './find-trigger.ts';

describe('the sign that opens the menu', () => {
  it.each([
    ['/', { sign: '/', start: 0, query: '' }],
    ['see @arch', { sign: '@', start: 4, query: 'arch' }],
    ['first line\n/sim', { sign: '/', start: 11, query: 'sim' }],
    // Input methods write full-width signs, and CJK text after them.
    ['／提示', { sign: '/', start: 0, query: '提示' }],
    ['看　＠檔', { sign: '@', start: 2, query: '檔' }],
    ['use @two words', { sign: '@', start: 4, query: 'two words' }],
    ['@two ', { sign: '@', start: 0, query: 'two ' }],
    ['@one and @two words', { sign: '@', start: 9, query: 'two words' }],
    ['see @a/b c', { sign: '@', start: 4, query: 'a/b c' }],
  ])('is found in %j', (text, expected) => {
    expect(findTrigger(text, text.length)).toEqual(expected);
  });

  it.each(['a/b', 'me@example.com', 'https://a.b/c', 'plain', '', '@ home', '@one\nline', '@a b c d e f'])(
    'is not found in %j',
    (text) => {
      expect(findTrigger(text, text.length)).toBeNull();
    },
  );

  it('is looked for before the caret only', () => {
    expect(findTrigger('/simple', 3)).toEqual({ sign: '/', start: 0, query: 'si' });
    expect(findTrigger('/simple', 0)).toBeNull();
  });
});

describe('entries of the menu', () => {
  const entries = ['Team Management', 'Simple Prompt simple-prompt', '程式碼審查', 'résumé résumé'].map((search) => ({
    search: `${search} test://static/${search.length}`,
    names: search,
  }));
  const found = (query: string) => filterEntries(entries, query).map(({ names }) => names);

  it('are all shown, in their order, before anything is typed', () => {
    expect(filterEntries(entries, '')).toBe(entries);
  });

  it.each([
    ['mngmt', 'Team Management'],
    ['TEAM', 'Team Management'],
    ['審查', '程式碼審查'],
    ['résu', 'résumé résumé'],
    ['team man', 'Team Management'],
    ['simple ', 'Simple Prompt simple-prompt'],
    ['Simple  pro', 'Simple Prompt simple-prompt'],
  ])('match %j', (query, expected) => {
    expect(found(query)).toEqual([expected]);
  });

  it('do not match anything else', () => {
    expect(found('zzz')).toEqual([]);
    expect(found('$^[')).toEqual([]);
    // Sentences with words of an entry.
    expect(found('team is')).toEqual([]);
    expect(found('prompt team')).toEqual([]);
    expect(found('am management')).toEqual([]);
  });
});

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
  ])('is found in %j', (text, expected) => {
    expect(findTrigger(text, text.length)).toEqual(expected);
  });

  it.each(['a/b', 'me@example.com', 'https://a.b/c', '/a b', 'plain', ''])('is not found in %j', (text) => {
    expect(findTrigger(text, text.length)).toBeNull();
  });

  it('is looked for before the caret only', () => {
    expect(findTrigger('/simple', 3)).toEqual({ sign: '/', start: 0, query: 'si' });
    expect(findTrigger('/simple', 0)).toBeNull();
  });
});

describe('entries of the menu', () => {
  const entries = ['Team Management', 'Simple Prompt simple-prompt', '程式碼審查', 'résumé résumé'].map((search) => ({
    search,
  }));
  const found = (query: string) => filterEntries(entries, query).map(({ search }) => search);

  it('are all shown, in their order, before anything is typed', () => {
    expect(filterEntries(entries, '')).toBe(entries);
  });

  it.each([
    ['mngmt', 'Team Management'],
    ['TEAM', 'Team Management'],
    ['審查', '程式碼審查'],
    ['résu', 'résumé résumé'],
  ])('match %j', (query, expected) => {
    expect(found(query)).toEqual([expected]);
  });

  it('do not match anything else', () => {
    expect(found('zzz')).toEqual([]);
    expect(found('$^[')).toEqual([]);
  });
});

import { describe, expect, it } from 'vitest';
import { formatMessage } from './message.ts';

describe('a message', () => {
  it('has its values in place, numbers as the language writes them', () => {
    expect(formatMessage('{count} of {name}', { count: 12345, name: 'x' }, 'en')).toBe('12,345 of x');
  });

  it('follows the plural rules of its language', () => {
    const files = { one: '{count} file', other: '{count} files' };
    expect([0, 1, 2].map((count) => formatMessage(files, { count }, 'en'))).toEqual(['0 files', '1 file', '2 files']);
    expect(formatMessage({ other: '{count} 個檔案' }, { count: 1 }, 'zh-Hant')).toBe('1 個檔案');
  });

  it('writes out what hides in a value or turns the text around', () => {
    expect(formatMessage('Allow "{tool}"?', { tool: 'a\u202egnp\u200b' }, 'en')).toBe('Allow "a⟨U+202E⟩gnp⟨U+200B⟩"?');
  });

  it('takes a value as it is, even one that looks like a place for another', () => {
    expect(formatMessage('“{title}” was deleted', { title: '{count} $& $1' }, 'en')).toBe(
      '“{count} $& $1” was deleted',
    );
  });
});

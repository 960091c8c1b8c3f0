import { describe, expect, it } from 'vitest';
import { formatMessage } from './message.ts';

describe('formatMessage', () => {
  it('fills in values and formats numbers for the language', () => {
    const format = (count: number) => formatMessage('{count} of {name}', { count, name: 'x' }, 'en');
    expect([0, 7, 999, 1000, 12345, -1, 1.5].map(format)).toEqual(
      ['0', '7', '999', '1,000', '12,345', '-1', '1.5'].map((count) => `${count} of x`),
    );
  });

  it('follows the plural rules of the language', () => {
    const files = { one: '{count} file', other: '{count} files' };
    expect([0, 1, 2].map((count) => formatMessage(files, { count }, 'en'))).toEqual(['0 files', '1 file', '2 files']);
    expect(formatMessage({ other: '{count} 個檔案' }, { count: 1 }, 'zh-Hant')).toBe('1 個檔案');
  });

  it('shows invisible and bidirectional characters of values as code points', () => {
    expect(formatMessage('Allow "{tool}"?', { tool: 'a\u202egnp\u200b' }, 'en')).toBe('Allow "a⟨U+202E⟩gnp⟨U+200B⟩"?');
  });

  it('does not interpret placeholders in values', () => {
    expect(formatMessage('“{title}” was deleted', { title: '{count} $& $1' }, 'en')).toBe(
      '“{count} $& $1” was deleted',
    );
  });
});

import { describe, expect, it } from 'vitest';
import { jsonLine, jsonLines, sanitize, plainLine, shownLine } from './sanitize.ts';

describe('untrusted text on a terminal', () => {
  it('cannot contain escape sequences or a bell', () => {
    expect(sanitize('\u001b[31mred\u001b[0m \u001b]0;title\u0007 \u009b2J a\rb')).toBe('[31mred[0m ]0;title 2J ab');
  });

  it('cannot contain bidirectional overrides', () => {
    expect(sanitize('abc\u202edcba\u2066x')).toBe('abcdcbax');
  });

  it('keeps lines, tabs and every script', () => {
    expect(sanitize('a\n\tb 中文 😀 é')).toBe('a\n\tb 中文 😀 é');
  });

  it('shows hidden characters of a name', () => {
    expect(shownLine('files/\u202egnp\u200b.exe\u001b[2J')).toBe('files/⟨U+202E⟩gnp⟨U+200B⟩.exe⟨U+001B⟩[2J');
  });

  it('is escaped, not removed, in JSON', () => {
    const value = { text: 'a\u001b[31m\u009d52;c;aGk=\u009c\u007f' };
    for (const json of [jsonLine(value), jsonLines(value)]) {
      expect(json).not.toMatch(/[\u001b\u007f-\u009f]/);
      expect(JSON.parse(json)).toEqual(value);
    }
    expect(jsonLines(value)).toContain('\n  "text"');
  });

  it('is truncated to one line', () => {
    expect(plainLine('a\n b\t c', 20)).toBe('a b c');
    expect(plainLine('x'.repeat(50), 10)).toBe('xxxxxxxxx…');
  });
});

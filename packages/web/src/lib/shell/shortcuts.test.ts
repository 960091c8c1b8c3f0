import { describe, expect, it } from 'vitest';
import { shortcutOf } from './shortcuts.ts';

const key = (name: string, more: Partial<Parameters<typeof shortcutOf>[0]> = {}) => ({
  key: name,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  isComposing: false,
  defaultPrevented: false,
  ...more,
});

describe('key presses', () => {
  it('with Ctrl or Command mean the same, also while typing', () => {
    expect(shortcutOf(key('k', { ctrlKey: true }), true)).toBe('search');
    expect(shortcutOf(key('K', { metaKey: true }), false)).toBe('search');
    expect(shortcutOf(key('O', { ctrlKey: true, shiftKey: true }), true)).toBe('new-chat');
  });

  it('that insert a character are left to the focused input', () => {
    expect(shortcutOf(key('?', { shiftKey: true }), true)).toBeNull();
    expect(shortcutOf(key('?', { shiftKey: true }), false)).toBe('help');
    expect(shortcutOf(key('k'), false)).toBeNull();
  });

  it('that were handled already, or belong to an input method, are ignored', () => {
    expect(shortcutOf(key('Escape', { defaultPrevented: true }), false)).toBeNull();
    expect(shortcutOf(key('Escape', { isComposing: true }), true)).toBeNull();
    expect(shortcutOf(key('Escape'), true)).toBe('escape');
  });
});

import { describe, expect, it } from 'vitest';
import { findShortcut } from './shortcuts.ts';

const key = (name: string, more: Partial<Parameters<typeof findShortcut>[0]> = {}) => ({
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
    expect(findShortcut(key('k', { ctrlKey: true }), true)).toBe('search');
    expect(findShortcut(key('K', { metaKey: true }), false)).toBe('search');
    expect(findShortcut(key('O', { ctrlKey: true, shiftKey: true }), true)).toBe('new-chat');
  });

  it('that insert a character are left to the focused input', () => {
    expect(findShortcut(key('?', { shiftKey: true }), true)).toBeNull();
    expect(findShortcut(key('?', { shiftKey: true }), false)).toBe('help');
    expect(findShortcut(key('k'), false)).toBeNull();
  });

  it('that were handled already, or belong to an input method, are ignored', () => {
    expect(findShortcut(key('Escape', { defaultPrevented: true }), false)).toBeNull();
    expect(findShortcut(key('Escape', { isComposing: true }), true)).toBeNull();
    expect(findShortcut(key('Escape'), true)).toBe('escape');
  });
});

import { expect, it } from 'vitest';
import { composerKey } from './keys.ts';

const enter = {
  key: 'Enter',
  keyCode: 13,
  isComposing: false,
  shiftKey: false,
  altKey: false,
  ctrlKey: false,
  metaKey: false,
};
const desk = { touch: false, busy: false };

it('sends with Enter and leaves Shift+Enter to the input', () => {
  expect(composerKey(enter, desk)).toBe('send');
  expect(composerKey({ ...enter, shiftKey: true }, desk)).toBeNull();
});

it('never sends with the Enter that confirms an input method composition', () => {
  expect(composerKey({ ...enter, isComposing: true }, desk)).toBeNull();
  expect(composerKey({ ...enter, keyCode: 229 }, desk)).toBeNull();
});

it('writes a new line with Enter on a touch keyboard, and sends with Ctrl+Enter', () => {
  expect(composerKey(enter, { touch: true, busy: false })).toBeNull();
  expect(composerKey({ ...enter, ctrlKey: true }, { touch: true, busy: false })).toBe('send');
});

it('stops with Escape only while a run is in progress, and not during composition', () => {
  const escape = { ...enter, key: 'Escape', keyCode: 27 };
  expect(composerKey(escape, { touch: false, busy: true })).toBe('stop');
  expect(composerKey(escape, desk)).toBeNull();
  expect(composerKey({ ...escape, isComposing: true }, { touch: false, busy: true })).toBeNull();
});

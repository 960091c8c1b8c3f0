import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { Typing } from './typing.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function trackedTyping() {
  const typing = new Typing(() => Date.now());
  const page = new EventTarget();
  typing.watch(page);
  return { typing, type: (type = 'keydown') => page.dispatchEvent(new Event(type)) };
}

it('waits until nothing has been typed for a second, however long the user types', () => {
  const { typing, type } = trackedTyping();
  const act = vi.fn();
  type();
  typing.whenQuiet(act);
  vi.advanceTimersByTime(900);
  type('beforeinput');
  vi.advanceTimersByTime(999);
  expect(act).not.toHaveBeenCalled();
  vi.advanceTimersByTime(1);
  expect(act).toHaveBeenCalledOnce();
});

it('acts at once if the user is not typing, and never after it was cancelled', () => {
  const { typing, type } = trackedTyping();
  const act = vi.fn();
  typing.whenQuiet(act);
  expect(act).toHaveBeenCalledOnce();
  type();
  typing.whenQuiet(act)();
  vi.advanceTimersByTime(5_000);
  expect(act).toHaveBeenCalledOnce();
});

import { expect, it } from 'vitest';
import type { PartView } from './late-parts.svelte.ts';
import { LateParts } from './late-parts.svelte.ts';

function setUp(count: number, nearest = (parts: readonly number[]) => parts.at(-1) ?? 0) {
  const parts = new LateParts(count);
  let waiting: (() => void) | null = null;
  const view: PartView & { loading: boolean } = {
    loading: false,
    next(callback) {
      waiting = callback;
      return () => (waiting = null);
    },
    isLoading: () => view.loading,
    nearest,
  };
  const frame = (): boolean => {
    const callback = waiting;
    waiting = null;
    callback?.();
    return callback !== null;
  };
  return { parts, view, frame };
}

it('renders both ends at once, then one part in each frame, the nearest first', () => {
  const { parts, view, frame } = setUp(6);
  expect([...parts.late]).toEqual([1, 2, 3]);
  parts.start(view);
  frame();
  expect([...parts.late]).toEqual([1, 2]);
  frame();
  frame();
  expect(parts.late.size).toBe(0);
  expect(frame()).toBe(false);
});

it('waits for what the parts are rendered with', () => {
  const { parts, view, frame } = setUp(5);
  view.loading = true;
  parts.start(view);
  for (let time = 0; time < 10; time += 1) frame();
  expect(parts.late.size).toBe(2);
  view.loading = false;
  frame();
  expect(parts.late.size).toBe(1);
});

it('stops, and has nothing to do for a short text', () => {
  const { parts, view, frame } = setUp(9);
  parts.start(view)();
  expect(frame()).toBe(false);
  for (const count of [0, 1, 2, 3]) {
    const short = setUp(count);
    short.parts.start(short.view);
    expect([short.parts.late.size, short.frame()]).toEqual([0, false]);
  }
});

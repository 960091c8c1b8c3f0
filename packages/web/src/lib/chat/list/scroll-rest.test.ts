import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { ScrollRest } from './scroll-rest.ts';

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('onscrollend', null);
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function isReached(rest: ScrollRest): Promise<boolean> {
  let isDone = false;
  void rest.reached().then(() => (isDone = true));
  await vi.advanceTimersByTimeAsync(0);
  return isDone;
}

it('is at rest until a scroll begins and after it has ended', async () => {
  const rest = new ScrollRest();
  expect(await isReached(rest)).toBe(true);
  rest.moved();
  const waiting = rest.reached();
  expect(await isReached(rest)).toBe(false);
  rest.ended();
  await waiting;
  expect(await isReached(rest)).toBe(true);
});

it('waits a second at most', async () => {
  const rest = new ScrollRest();
  rest.moved();
  const waiting = rest.reached();
  await vi.advanceTimersByTimeAsync(1_000);
  await waiting;
});

it('does not wait in a browser that does not report the end of a scroll', async () => {
  vi.unstubAllGlobals();
  const rest = new ScrollRest();
  rest.moved();
  expect(await isReached(rest)).toBe(true);
});

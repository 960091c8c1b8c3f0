import { expect, test } from 'vitest';
import { createSteadyClock } from './steady-clock.ts';

test('a steady clock advances by itself, this many times as fast', async () => {
  const clock = createSteadyClock({ times: 1_000 });
  const startedAt = clock.now();
  await clock.passes(60_000);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(60_000);
  expect(clock.now()).toBeGreaterThanOrEqual(startedAt + 60_000);
});

test('a steady clock runs timers in order, without cancelled ones', async () => {
  const clock = createSteadyClock();
  const calls: string[] = [];
  clock.after(20, () => calls.push('late'));
  clock.after(10, () => calls.push('early'));
  clock.after(15, () => calls.push('never'))();
  await clock.passes(30);
  expect(calls).toEqual(['early', 'late']);
});

test('a steady clock stops while its process is blocked', async () => {
  const clock = createSteadyClock();
  let isOver = false;
  clock.after(200, () => (isOver = true));
  await clock.passes(10);
  for (const until = performance.now() + 400; performance.now() < until;);
  await clock.passes(10);
  expect(isOver).toBe(false);
});

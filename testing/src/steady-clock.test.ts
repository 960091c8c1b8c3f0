import { expect, test } from 'vitest';
import { createSteadyClock } from './steady-clock.ts';

test('a steady clock passes by itself, so many times as fast', async () => {
  const clock = createSteadyClock({ times: 1_000 });
  const begun = clock.now();
  await clock.passes(60_000);
  expect(clock.monotonic()).toBeGreaterThanOrEqual(60_000);
  expect(clock.now()).toBeGreaterThanOrEqual(begun + 60_000);
});

test('a steady clock calls in order, and not what was called off', async () => {
  const clock = createSteadyClock();
  const said: string[] = [];
  clock.after(20, () => said.push('late'));
  clock.after(10, () => said.push('early'));
  clock.after(15, () => said.push('never'))();
  await clock.passes(30);
  expect(said).toEqual(['early', 'late']);
});

test('a steady clock stands still while its process is held up', async () => {
  const clock = createSteadyClock();
  let isOver = false;
  clock.after(200, () => (isOver = true));
  await clock.passes(10);
  for (const until = performance.now() + 400; performance.now() < until;);
  await clock.passes(10);
  expect(isOver).toBe(false);
});

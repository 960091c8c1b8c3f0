import { expect, test } from 'vitest';
import { createFakeClock } from './fake-clock.ts';
import { createIds } from './ids.ts';

test('timers run in order, each at its own time', async () => {
  const clock = createFakeClock({ start: 1000 });
  const seen: [string, number, number][] = [];
  const note = (name: string) => () => seen.push([name, clock.now(), clock.monotonic()]);
  clock.after(30, note('late'));
  clock.after(10, note('early'));
  clock.after(10, note('second of the same time'));
  clock.after(31, note('not yet'));
  await clock.advance(30);
  expect(seen).toEqual([
    ['early', 1010, 10],
    ['second of the same time', 1010, 10],
    ['late', 1030, 30],
  ]);
  expect(clock.pending).toBe(1);
  expect(clock.now()).toBe(1030);
});

test('a cancelled timer never runs', async () => {
  const clock = createFakeClock();
  let ran = false;
  const cancelTimer = clock.after(5, () => (ran = true));
  cancelTimer();
  cancelTimer();
  await clock.advance(10);
  expect(ran).toBe(false);
  expect(clock.pending).toBe(0);
});

test('a timer set by an earlier one runs in the same advance', async () => {
  const clock = createFakeClock();
  const wait = (ms: number) => new Promise<void>((resolve) => clock.after(ms, resolve));
  const times: number[] = [];
  const work = (async () => {
    await Promise.resolve();
    for (let i = 0; i < 3; i++) {
      await wait(10);
      times.push(clock.monotonic());
    }
  })();
  await clock.advance(30);
  expect(times).toEqual([10, 20, 30]);
  await work;
});

test('time does not pass by itself', async () => {
  const clock = createFakeClock();
  let ran = false;
  clock.after(0, () => (ran = true));
  await new Promise((resolve) => setTimeout(resolve, 5));
  expect(ran).toBe(false);
  await clock.advance(0);
  expect(ran).toBe(true);
});

test('the error of a timer rejects the advance', async () => {
  const clock = createFakeClock();
  clock.after(1, () => {
    throw new Error('from the timer');
  });
  await expect(clock.advance(1)).rejects.toThrow('from the timer');
});

test('ids are predictable and unique', () => {
  const [a, b] = [createIds('run'), createIds('run')];
  expect([a.next(), a.next(), b.next()]).toEqual(['run-1', 'run-2', 'run-1']);
  expect(createIds().next()).toBe('id-1');
});

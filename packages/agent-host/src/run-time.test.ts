import { createFakeClock } from '@toolyard/testing';
import { expect, test } from 'vitest';
import { RunTime } from './run-time.ts';

test('the time limit of a run stands still while the user is asked, also for several questions', async () => {
  const clock = createFakeClock();
  let over = 0;
  const time = new RunTime(clock, 1_000, () => (over += 1));
  await clock.advance(400);
  const releases = [time.hold(), time.hold()];
  await clock.advance(5_000);
  releases[0]?.();
  await clock.advance(5_000);
  releases[1]?.();
  await clock.advance(599);
  expect(over).toBe(0);
  await clock.advance(1);
  expect(over).toBe(1);
});

test('a run that has ended is not timed out by a question that is answered later', async () => {
  const clock = createFakeClock();
  const time = new RunTime(clock, 1_000, () => expect.unreachable('the run has ended'));
  const release = time.hold();
  time.end();
  release();
  await clock.advance(2_000);
  expect(clock.pending).toBe(0);
});

test('a limit longer than a timer can be has no timer', () => {
  const clock = createFakeClock();
  new RunTime(clock, 2 ** 31, () => undefined);
  expect(clock.pending).toBe(0);
});

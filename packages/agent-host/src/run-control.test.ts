import { createFakeClock } from '@toolyard/testing';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import { RunControl } from './run-control.ts';

function startControl(maxWallTimeMs: number) {
  const clock = createFakeClock();
  const control = new RunControl(clock);
  control.startTime({ limits: { ...DEFAULT_LIMITS, maxWallTimeMs }, startedAt: clock.now() });
  return { clock, control };
}

test('pauses the time limit of a run while the user is asked, also for several interrupts', async () => {
  const { clock, control } = startControl(1_000);
  await clock.advance(400);
  const releases = [control.holdTime(), control.holdTime()];
  await clock.advance(5_000);
  releases[0]?.();
  await clock.advance(5_000);
  releases[1]?.();
  await clock.advance(599);
  expect(control.ending).toBeNull();
  await clock.advance(1);
  expect(control.ending).toMatchObject({ status: 'failed', error: { code: 'time_limit_exceeded' } });
  expect(control.signal.aborted).toBe(true);
});

test('does not time out a run that has ended when an interrupt is answered later', async () => {
  const { clock, control } = startControl(1_000);
  const release = control.holdTime();
  control.endTime();
  release();
  await clock.advance(2_000);
  expect([clock.pending, control.ending]).toEqual([0, null]);
});

test('sets no timer for a limit longer than timers support', () => {
  expect(startControl(2 ** 31).clock.pending).toBe(0);
});

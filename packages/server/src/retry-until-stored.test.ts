import { defined } from '@toolyard/protocol';
import { StorageError } from '@toolyard/storage';
import { createFakeClock } from '@toolyard/testing';
import { expect, test, vi } from 'vitest';
import { retryUntilStored } from './retry-until-stored.ts';

const away = new StorageError('unreachable', { message: 'The database cannot be reached.' });

/** An operation that fails `failures` times before it succeeds, and its result. */
function begin(failures: number, isStillWanted?: () => boolean) {
  const clock = createFakeClock();
  const stop = new AbortController();
  const work = vi.fn(async (): Promise<void> => {
    if (work.mock.calls.length <= failures) throw away;
  });
  const { signal } = stop;
  const done = retryUntilStored(work, { clock, signal, ...defined({ isStillWanted }) });
  return { clock, stop, work, done };
}

test('retries after storage errors until it succeeds, and then stops', async () => {
  const { clock, work, done } = begin(2);
  await clock.advance(4_000);
  await done;
  expect(work).toHaveBeenCalledTimes(3);
  expect(clock.pending).toBe(0);
});

test('does not retry after other errors', async () => {
  const clock = createFakeClock();
  const work = vi.fn(() => Promise.reject(new Error('a defect')));
  await expect(retryUntilStored(work, { clock, signal: new AbortController().signal })).rejects.toThrow('a defect');
  expect(work).toHaveBeenCalledTimes(1);
});

test('makes one last attempt at once when aborted', async () => {
  const { clock, stop, work, done } = begin(9);
  await clock.advance(0);
  stop.abort();
  await expect(done).rejects.toBe(away);
  expect(work).toHaveBeenCalledTimes(2);
  expect(clock.pending).toBe(0);
});

test('does not retry what is no longer wanted, not even when aborted', async () => {
  let isWanted = true;
  const later = begin(9, () => isWanted);
  const last = begin(9, () => isWanted);
  await later.clock.advance(2_000);
  expect(later.work).toHaveBeenCalledTimes(2);
  isWanted = false;
  await later.clock.advance(2_000);
  last.stop.abort();
  await Promise.all([later.done, last.done]);
  expect(later.work).toHaveBeenCalledTimes(2);
  expect(last.work).toHaveBeenCalledTimes(1);
});

import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { EventBacklog } from './backlog.ts';

const never = new AbortController().signal;

function open() {
  const clock = createFakeClock();
  const backlog = new EventBacklog<string>({ clock, isUrgent: (item) => item === 'now', signal: never });
  const taken: string[][] = [];
  const done = (async () => {
    for (;;) taken.push([...(await backlog.take())]);
  })();
  void done;
  return { clock, backlog, taken };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('reads the first event at once, and those shortly after it together', async () => {
  const { clock, backlog, taken } = open();
  backlog.push(['a']);
  await turn();
  expect(taken).toEqual([['a']]);
  backlog.push(['b']);
  await turn();
  backlog.push(['c']);
  await turn();
  expect(taken).toHaveLength(1);
  await clock.advance(4);
  expect(taken).toEqual([['a'], ['b', 'c']]);
  await clock.advance(4);
  backlog.push(['d']);
  await turn();
  expect(taken.at(-1)).toEqual(['d']);
});

test('an urgent event flushes the others with it', async () => {
  const { backlog, taken } = open();
  backlog.push(['a']);
  await turn();
  backlog.push(['b']);
  await turn();
  backlog.push(['now']);
  await turn();
  expect(taken).toEqual([['a'], ['b', 'now']]);
});

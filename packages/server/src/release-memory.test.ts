import { expect, test } from 'vitest';
import { createFakeClock } from '@toolyard/testing';
import { memoryOfThisProcess, releaseMemoryWhenIdle } from './release-memory.ts';

test('collects once after a busy time, when the process is idle', async () => {
  const clock = createFakeClock();
  const memory = { heapSize: 50_000_000, busyShare: 0.5, collections: 0 };
  const stop = releaseMemoryWhenIdle(clock, {
    heapSize: () => memory.heapSize,
    busyShare: () => memory.busyShare,
    collect() {
      memory.collections++;
      memory.heapSize = 60_000_000;
    },
  });
  memory.heapSize = 300_000_000;
  await clock.advance(30_000);
  expect(memory.collections).toBe(0);
  memory.busyShare = 0.001;
  await clock.advance(10_000);
  expect(memory.collections).toBe(1);
  memory.heapSize = 90_000_000;
  await clock.advance(60_000);
  expect(memory.collections).toBe(1);
  memory.heapSize = 110_000_000;
  await clock.advance(10_000);
  expect(memory.collections).toBe(2);
  stop();
  memory.heapSize = 300_000_000;
  await clock.advance(60_000);
  expect(memory.collections).toBe(2);
});

test('collects the garbage of this process', () => {
  let garbage: object[] = Array.from({ length: 2_000_000 }, (_none, index) => ({ index }));
  expect(garbage).toHaveLength(2_000_000);
  const grown = process.memoryUsage().heapUsed;
  garbage = [];
  memoryOfThisProcess().collect();
  expect(process.memoryUsage().heapUsed).toBeLessThan(grown - 40_000_000);
  expect('gc' in globalThis).toBe(false);
});

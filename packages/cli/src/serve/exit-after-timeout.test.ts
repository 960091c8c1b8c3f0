import { expect, test } from 'vitest';
import { createMemoryIo } from '../test-fixtures/memory-io.ts';
import { exitAfterTimeout } from './exit-after-timeout.ts';

/** The exit code of a shutdown that never completes, and what it logged. */
async function exitOf(waitsFor: () => string | null): Promise<{ code: number; lines: string[] }> {
  const io = createMemoryIo();
  const lines: string[] = [];
  exitAfterTimeout(io, { waitsFor, tell: (line) => lines.push(line), withinS: 0.1 });
  return { code: await io.exited, lines };
}

test('exits with code 1 and names what the shutdown waited for', async () => {
  const { code, lines } = await exitOf(() => 'the storage');
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringContaining('not ended after 0.1 s and ended all the same; what held on: the storage'),
  ]);
});

test('lists the open resources where what it waits for has no name', async () => {
  const { lines } = await exitOf(() => null);
  expect(lines).toEqual([expect.stringMatching(/what held on: open in this process: \w+/)]);
});

test('does nothing once the shutdown has completed', async () => {
  const io = createMemoryIo();
  const completed = exitAfterTimeout(io, { waitsFor: () => null, tell: () => undefined, withinS: 0.05 });
  completed();
  const later = new Promise<string>((resolve) => setTimeout(resolve, 150, 'still running'));
  expect(await Promise.race([io.exited, later])).toBe('still running');
});

import { expect, test } from 'vitest';
import { createMemoryIo } from '../test-fixtures/memory-io.ts';
import { exitAfterTimeout } from './exit-after-timeout.ts';

/** The exit code of a shutdown that never completes, and what it logged. */
async function waitForExit(waitsFor: () => string | null): Promise<{ code: number; lines: string[] }> {
  const io = createMemoryIo();
  const lines: string[] = [];
  exitAfterTimeout(io, { waitsFor, log: (line) => lines.push(line), timeoutS: 0.1 });
  return { code: await io.exited, lines };
}

test('exits with code 1 and names what the shutdown waited for', async () => {
  const { code, lines } = await waitForExit(() => 'the storage');
  expect(code).toBe(1);
  expect(lines).toEqual([
    expect.stringContaining('shutdown did not complete within 0.1 s; exiting. Still open: the storage'),
  ]);
});

test('lists open resources if the component is unknown', async () => {
  const { lines } = await waitForExit(() => null);
  expect(lines).toEqual([expect.stringMatching(/Still open: resources of this process: \w+/)]);
});

test('does nothing once the shutdown has completed', async () => {
  const io = createMemoryIo();
  const completed = exitAfterTimeout(io, { waitsFor: () => null, log: () => undefined, timeoutS: 0.05 });
  completed();
  const later = new Promise<string>((resolve) => setTimeout(resolve, 150, 'still running'));
  expect(await Promise.race([io.exited, later])).toBe('still running');
});

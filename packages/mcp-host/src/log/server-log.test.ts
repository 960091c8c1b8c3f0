import { expect, test } from 'vitest';
import { ServerLog } from './server-log.ts';

test('output of a server is bounded and does not displace the events', () => {
  const log = new ServerLog();
  log.add({ at: 1, phase: 'initializing', level: 'error', text: 'why it failed' });
  for (let line = 0; line < 10_000; line++) {
    log.add({ at: 2, phase: 'initializing', level: 'info', text: `${line} ${'x'.repeat(10_000)}` }, 'server');
  }
  log.add({ at: 3, phase: 'error', level: 'info', text: 'last' });
  const entries = log.entries();
  expect(entries).toHaveLength(102);
  expect(entries[0]?.text).toBe('why it failed');
  expect(entries.at(-1)?.text).toBe('last');
  expect(entries[1]?.text.length).toBeLessThan(2_100);
});

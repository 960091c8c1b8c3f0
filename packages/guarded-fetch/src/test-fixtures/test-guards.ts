import { afterEach } from 'vitest';
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from '../guarded-fetch.ts';
import { startOrigin, type Origin } from './origins.ts';

export type TestGuards = {
  guard: (options?: Partial<GuardedFetchOptions>) => GuardedFetch;
  origin: (...how: Parameters<typeof startOrigin>) => Promise<Origin>;
  /** Closes this, too, after the test. */
  closing: (one: { close(): Promise<void> }) => void;
};

/** Makes guards that trust as `trust` says, and servers to try them on; all are closed after each test. */
export function createTestGuards(trust: GuardedFetchOptions['trust']): TestGuards {
  const open: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    await Promise.all(open.splice(0).map((one) => one.close()));
  });
  return {
    guard(options = {}) {
      const fetch = createGuardedFetch({ trust, ...options });
      open.push(fetch);
      return fetch;
    },
    async origin(...how) {
      const started = await startOrigin(...how);
      open.push(started);
      return started;
    },
    closing: (one) => void open.push(one),
  };
}

import type { RequestListener } from 'node:http';
import type { RecordingServer } from '@toolyard/testing';
import { startRecordingServer } from '@toolyard/testing';
import { afterEach } from 'vitest';
import { createGuardedFetch, type GuardedFetch, type GuardedFetchOptions } from '../guarded-fetch.ts';

export type TestGuards = {
  guard: (options?: Partial<GuardedFetchOptions>) => GuardedFetch;
  /** A server that records its requests. */
  origin: (answer: RequestListener) => Promise<RecordingServer>;
  /** Closes it after the test as well. */
  closing: (one: { close(): Promise<void> }) => void;
};

/** Creates guards with this trust, and servers for them; all are closed after each test. */
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
    async origin(answer) {
      const started = await startRecordingServer(answer);
      open.push(started);
      return started;
    },
    closing: (one) => void open.push(one),
  };
}

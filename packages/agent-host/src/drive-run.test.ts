import { expect, test } from 'vitest';
import { initialState } from '@toolyard/agent-runtime';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import { driveRun } from './drive-run.ts';

test('commits a steering message together with its step, with nothing in between', async () => {
  const order: string[] = [];
  const throwUnexpectedCall = (): never => expect.fail('unexpected step');
  const driven = driveRun({
    point: {
      state: initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS }),
      context: { phase: 'user_input' },
    },
    brain: throwUnexpectedCall as never,
    executors: {} as never,
    journal: {
      attempt: 1,
      beginStep: () => undefined,
      append: () => undefined,
      commit: () => {
        order.push('committed');
        return Promise.reject(new Error('the store is full'));
      },
    },
    stopRequested: () => null,
    pollSteering: async () => {
      await Promise.resolve();
      return () => {
        order.push('said');
        // Another run's pump would collect pending writes here.
        queueMicrotask(() => order.push('something else'));
      };
    },
  });
  await expect(driven).rejects.toThrow('the store is full');
  expect(order).toEqual(['said', 'committed', 'something else']);
});

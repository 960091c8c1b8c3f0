import { expect, test } from 'vitest';
import { initialState } from '@toolyard/agent-runtime';
import { DEFAULT_LIMITS } from '@toolyard/protocol';
import { driveRun } from './drive-run.ts';

test('what is heard is committed with the step that hears it: nothing comes in between', async () => {
  const order: string[] = [];
  const never = (): never => expect.fail('no step is taken');
  const driven = driveRun({
    point: {
      state: initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS }),
      context: { phase: 'user_input' },
    },
    brain: never as never,
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
        // As the pump of another run of this process would collect what there is.
        queueMicrotask(() => order.push('something else'));
      };
    },
  });
  await expect(driven).rejects.toThrow('the store is full');
  expect(order).toEqual(['said', 'committed', 'something else']);
});

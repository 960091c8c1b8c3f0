import type { PresetTaskCall, ResolvedAgentConfiguration } from '@toolyard/protocol';
import { expect, test } from 'vitest';
import type { PresetTaskEvent, PresetTasksOptions } from './preset-tasks.ts';
import { createPresetTasks } from './preset-tasks.ts';

const OWNER = { ownerId: 'anne' };
const none = (): never => expect.unreachable('not used');

/** Tasks whose model answers nothing until its request is cancelled; `expire` lets the deadline pass. */
function stuckModel() {
  const deadlines: { ms: number; expire: () => void; isCleared: boolean }[] = [];
  const requested = Promise.withResolvers<AbortSignal>();
  const untilAborted = (signal: AbortSignal): Promise<void> => {
    requested.resolve(signal);
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  };
  const calls: PresetTasksOptions['calls'] = {
    chat: () =>
      Promise.resolve(async function* (signal) {
        await untilAborted(signal);
      }),
    async generateObject(_principal, _provider, _request, signal) {
      await untilAborted(signal);
      throw new Error('cancelled');
    },
  };
  const tasks = createPresetTasks({
    calls,
    storage: { conversations: { get: none }, messages: { branch: none } } as unknown as PresetTasksOptions['storage'],
    configurations: {
      resolve: () => Promise.resolve({ model: { providerId: 'p', modelId: 'slow' } } as ResolvedAgentConfiguration),
    },
    models: { abilities: () => Promise.resolve({}), price: () => Promise.resolve(undefined) },
    ids: { next: () => 'id' },
    clock: {
      after(ms, expire) {
        const deadline = { ms, expire, isCleared: false };
        deadlines.push(deadline);
        return () => (deadline.isCleared = true);
      },
    },
  });
  return { tasks, deadlines, requested: requested.promise };
}

async function collectEvents(events: AsyncIterable<PresetTaskEvent>): Promise<PresetTaskEvent[]> {
  return Array.fromAsync(events);
}

test.each<[PresetTaskCall, number]>([
  [{ task: 'agent-title', agent: { title: 'Cook' } }, 60_000],
  [{ task: 'agent-avatar', agent: { title: 'Cook' } }, 60_000],
  [{ task: 'translate', text: 'Hello', to: 'de' }, 600_000],
])('%j ends with an error at its deadline, and its request is cancelled', async (call, ms) => {
  const { tasks, deadlines, requested } = stuckModel();
  const events = collectEvents((await tasks.run(OWNER, call))(new AbortController().signal));
  const signal = await requested;
  expect(deadlines.map((each) => each.ms)).toEqual([ms]);
  deadlines[0]?.expire();
  expect(await events).toMatchObject([
    { event: 'error', data: { code: 'timed_out', message: expect.stringContaining(`within ${ms / 1_000} seconds`) } },
  ]);
  expect(signal.aborted).toBe(true);
  expect(deadlines[0]?.isCleared).toBe(true);
});

test('a task that its user cancels ends without an event', async () => {
  const { tasks, deadlines, requested } = stuckModel();
  const user = new AbortController();
  const events = collectEvents((await tasks.run(OWNER, { task: 'translate', text: 'Hello', to: 'de' }))(user.signal));
  await requested;
  user.abort();
  expect(await events).toEqual([]);
  expect(deadlines[0]?.isCleared).toBe(true);
});

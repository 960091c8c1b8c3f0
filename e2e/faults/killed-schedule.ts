import { describe, expect, it } from 'vitest';
import type { ConversationSummary, Page, ProviderView, ScheduleFiring } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { call } from '../support/api.ts';
import type { ServerInstancesOptions } from '../support/server-instances.ts';
import { ServerInstances } from '../support/server-instances.ts';

export const answersAt = (options: ServerInstancesOptions = {}): Promise<ServerInstances> =>
  ServerInstances.with(() => reply.text('Done.'), options);

/** A schedule that is due every second, `times` times. */
export async function schedule(url: string, times: number): Promise<void> {
  const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
  const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
  await call(url, 'POST', '/api/schedules', {
    id: 'tick',
    title: 'Tick',
    task: 'Say done',
    timing: { kind: 'interval', seconds: 1 },
    conditions: { maxTotal: times },
    missed: 'all',
    overlap: 'parallel',
    configuration: { model: { providerId, modelId: 'scripted' } },
  });
}

/** The times, once all have started and their runs have ended. */
export async function allStarted(url: string, times: number): Promise<ScheduleFiring[]> {
  return eventually(
    async () => {
      const { items } = await call<Page<ScheduleFiring>>(url, 'GET', '/api/schedules/tick/firings');
      const conversations = await call<Page<ConversationSummary>>(url, 'GET', '/api/conversations');
      const isOver = conversations.items.length === times && conversations.items.every(({ activeRun }) => !activeRun);
      return items.length === times && items.every(({ outcome }) => outcome === 'started') && isOver ? items : null;
    },
    { what: `${times} runs of the schedule` },
  );
}

/** Tests of a server that is killed at these points and started again. */
export function describeKilledSchedule(places: readonly string[]): void {
  describe.concurrent('a server killed while a schedule starts a run', () => {
    it.each(places)('%s: the next process starts it, once', async (place) => {
      await using lives = await answersAt();
      const first = await lives.start({ place, hit: 1 });
      await schedule(first.url, 1);
      expect(await first.exited()).toBe('SIGKILL');
      const last = await lives.startHere();
      const [firing] = await allStarted(last.url, 1);
      const { messages } = await call<{ messages: { role: string }[] }>(
        last.url,
        'GET',
        `/api/conversations/${String(firing?.conversationId)}/messages`,
      );
      expect(messages.map(({ role }) => role)).toEqual(['user', 'assistant']);
    });
  });
}

import { describe, expect, it } from 'vitest';
import type { ConversationSummary, Page, ProviderView, ScheduleFiring } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { describeOnPostgres } from '@toolyard/testing/on-postgres';
import { call } from './support/api.ts';
import type { ServerInstancesOptions } from './support/server-instances.ts';
import { EXPIRE_LEASES, LONG_LEASES, ServerInstances } from './support/server-instances.ts';

const answersAt = (options: ServerInstancesOptions = {}): Promise<ServerInstances> =>
  ServerInstances.with(() => reply.text('Done.'), options);

/** A schedule that is due every second, `times` times. */
async function schedule(url: string, times: number): Promise<void> {
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
async function allStarted(url: string, times: number): Promise<ScheduleFiring[]> {
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

describe.concurrent('a server killed while a schedule starts a run', () => {
  it.each(['schedule:claimed', 'create-run:written', 'run:created', 'schedule:started'])(
    '%s: the next process starts it, once',
    { tags: ['C10.09'] },
    async (place) => {
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
    },
  );
});

describeOnPostgres('a schedule of several processes', (cluster) => {
  it('runs each time exactly once, although a process is killed between its claim and its run', async () => {
    const database = { url: await cluster().createDatabase() };
    await using lives = await answersAt({ ...LONG_LEASES, database });
    const { pair, killed } = await lives.startWithFault({ place: 'schedule:claimed', hit: 2 });
    await schedule(pair[0].url, 4);
    const { alive } = await killed();
    await cluster().query(database.url, EXPIRE_LEASES);
    await cluster().query(database.url, 'UPDATE schedule_firings SET retry_at = 0 WHERE retry_at IS NOT NULL');
    const firings = await allStarted(alive.url, 4);
    const planned = firings.map(({ plannedAt }) => plannedAt).toReversed();
    expect(planned.map((at) => at - (planned[0] ?? 0))).toEqual([0, 1_000, 2_000, 3_000]);
  });
});

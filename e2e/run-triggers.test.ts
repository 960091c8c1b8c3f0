import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type {
  ConversationSummary,
  Page,
  ProviderView,
  SavedTrigger,
  StartedRun,
  TriggerDelivery,
} from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { ServerInstances } from './support/server-instances.ts';

const answers = (): Promise<ServerInstances> => ServerInstances.with(() => reply.text('Done.'), {});

async function model(url: string): Promise<{ providerId: string; modelId: string }> {
  const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
  return { providerId: items.find(({ origin }) => origin === 'environment')?.id ?? '', modelId: 'scripted' };
}

/** The only conversation, once its run has ended: its messages. */
async function onlyAnswer(url: string): Promise<string[]> {
  const conversation = await eventually(
    async () => {
      const { items } = await call<Page<ConversationSummary>>(url, 'GET', '/api/conversations');
      return items.length > 0 && items.every(({ activeRun }) => !activeRun) ? items : null;
    },
    { what: 'the end of the run' },
  );
  expect(conversation).toHaveLength(1);
  const path = `/api/conversations/${conversation[0]?.id ?? ''}/messages`;
  const { messages } = await call<{ messages: { role: string }[] }>(url, 'GET', path);
  return messages.map(({ role }) => role);
}

describe('a server killed while it starts a run', () => {
  it.each(['idempotency-key:committed', 'run:created'])(
    'for a request with an Idempotency-Key, at %s: the repeated request finds or starts it, once',
    async (place) => {
      await using lives = await answers();
      const first = await lives.start({ place, hit: 1 });
      const body = JSON.stringify({ task: 'Say done', configuration: { model: await model(first.url) } });
      const start = (url: string) =>
        fetch(`${url}/api/runs`, {
          method: 'POST',
          headers: { 'content-type': 'application/json', 'idempotency-key': 'once' },
          body,
        });
      const lost = start(first.url).then(
        () => 'answered',
        () => 'lost',
      );
      expect([await first.exited(), await lost]).toEqual(['SIGKILL', 'lost']);
      const last = await lives.startHere();
      const ids = await Promise.all(
        [1, 2].map(async () => ((await (await start(last.url)).json()) as StartedRun).run.id),
      );
      expect(new Set(ids).size).toBe(1);
      expect(await onlyAnswer(last.url)).toEqual(['user', 'assistant']);
    },
  );

  it('for an accepted delivery to an incoming webhook: the next process starts it, once', async () => {
    await using lives = await answers();
    const first = await lives.start({ place: 'trigger:accepted', hit: 1 });
    const configuration = { model: await model(first.url) };
    await call(first.url, 'POST', '/api/agents', { id: 'clerk', title: 'Clerk', configuration });
    const { trigger, secret = '' } = await call<SavedTrigger>(first.url, 'POST', '/api/triggers', {
      title: 'Issues',
      agentId: 'clerk',
      template: 'Sort {{title}}',
      signature: { kind: 'hmac', header: 'x-signature', algorithm: 'sha256', encoding: 'hex' },
    });
    const body = JSON.stringify({ title: 'It breaks' });
    const signature = createHmac('sha256', secret).update(body).digest('hex');
    const headers = { 'content-type': 'application/json', 'x-signature': signature };
    await fetch(`${first.url}${trigger.path}`, { method: 'POST', headers, body }).catch(() => null);
    expect(await first.exited()).toBe('SIGKILL');
    const last = await lives.startHere();
    expect(await onlyAnswer(last.url)).toEqual(['user', 'assistant']);
    const { items } = await call<Page<TriggerDelivery>>(last.url, 'GET', `/api/triggers/${trigger.id}/deliveries`);
    expect(items).toMatchObject([{ outcome: 'started' }]);
  });
});

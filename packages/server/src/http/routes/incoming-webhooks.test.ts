import { createHmac } from 'node:crypto';
import type { RunView, SavedTrigger, StoredInterrupt, TriggerDelivery } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Answer, ServerWithModel } from '../test-fixtures/server-with-model.ts';
import { startServerWithModel } from '../test-fixtures/server-with-model.ts';

let server: ServerWithModel;
beforeEach(async () => {
  server = await startServerWithModel();
  await server.ask('POST', '/api/agents', { id: 'clerk', title: 'Clerk' });
});
afterEach(() => server.close());

const ISSUE = { action: 'opened', issue: { title: 'It breaks' } };

async function create(more: object = {}): Promise<Required<SavedTrigger>> {
  const made = await server.ask('POST', '/api/triggers', {
    title: 'Issues',
    agentId: 'clerk',
    template: 'Sort the issue {{issue.title}}',
    signature: { kind: 'github' },
    ...more,
  });
  expect([made.status, made.text]).toEqual([201, made.text]);
  return made.json as Required<SavedTrigger>;
}

/** As GitHub sends it: no other credential. */
async function deliver({ trigger, secret }: Required<SavedTrigger>, payload: unknown = ISSUE): Promise<Answer> {
  const body = typeof payload === 'string' ? payload : JSON.stringify(payload);
  const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
  const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
  const response = await fetch(`${server.url}${trigger.path}`, { method: 'POST', headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

async function deliveries({ trigger: { id } }: SavedTrigger): Promise<TriggerDelivery[]> {
  return ((await server.ask('GET', `/api/triggers/${id}/deliveries`)).json as { items: TriggerDelivery[] }).items;
}

const rest = (runId: string): Promise<RunView> =>
  eventually(
    async () => {
      const run = (await server.ask('GET', `/api/runs/${runId}`)).json as RunView;
      return run.status === 'running' || run.status === 'queued' ? null : run;
    },
    { what: `the end of run ${runId}` },
  );

describe('an incoming webhook', () => {
  test('starts one run for a delivery, however often it is sent', async () => {
    const hook = await create();
    const answers = await Promise.all([deliver(hook), deliver(hook), deliver(hook)]);
    expect(answers.map(({ status }) => status)).toEqual([202, 202, 202]);
    const { runId } = answers[0]?.json as { runId: string };
    expect(await rest(runId)).toMatchObject({
      status: 'done',
      agentId: 'clerk',
      startedBy: `trigger:${hook.trigger.id}`,
    });
    expect((await deliver(hook)).json).toEqual({ runId });
    expect(server.asked()).toHaveLength(1);
    expect(JSON.stringify(server.asked()[0]?.body)).toContain('It breaks\\n</webhook-data>');
    expect(await deliveries(hook)).toMatchObject([{ outcome: 'started', runId, conversationId: runId }]);
    const { runId: other } = (await deliver(hook, { issue: { title: 'Another' } })).json as { runId: string };
    expect(other).not.toBe(runId);
  });

  test('refuses what it cannot accept, and tells its owner why', async () => {
    const hook = await create({ rate: { perDay: 1 } });
    const { trigger } = hook;
    const wrong = await deliver({ ...hook, secret: 'another secret of sixteen' });
    const unknown = await deliver({ ...hook, trigger: { ...trigger, path: '/api/hooks/unknown' } });
    expect([wrong.status, unknown.status, unknown.text]).toEqual([401, 401, wrong.text]);
    expect((await deliver(hook, 'no JSON')).status).toBe(422);
    const first = await deliver(hook, {});
    expect([first.status, first.json]).toMatchObject([
      422,
      { detail: 'The template needs the field "issue.title", which the payload does not have.' },
    ]);
    expect((await deliver(hook)).status).toBe(429);
    await server.ask('PATCH', `/api/triggers/${trigger.id}`, { version: 1, enabled: false });
    expect((await deliver(hook)).status).toBe(409);
    expect((await deliveries(hook)).map(({ outcome, reason }) => `${outcome}: ${String(reason)}`).toSorted()).toEqual([
      'failed: The body is not valid JSON.',
      'failed: The template needs the field "issue.title", which the payload does not have.',
      'rejected: More than 1 deliveries per day.',
      'rejected: The signature is missing or invalid.',
      'rejected: The webhook is disabled.',
    ]);
    expect(server.asked()).toHaveLength(0);
    const large = await deliver(hook, 'x'.repeat(1024 * 1024 + 1));
    expect(large.status).toBe(413);
  });

  test('a failed delivery is accepted again once its reason is gone', async () => {
    const hook = await create({ template: 'Sort {{issue.missing}}' });
    expect((await deliver(hook)).status).toBe(422);
    await server.ask('PATCH', `/api/triggers/${hook.trigger.id}`, { version: 1, template: 'Sort {{issue.title}}' });
    await server.ask('DELETE', '/api/agents/clerk');
    expect((await deliver(hook)).status).toBe(409);
    expect(await deliveries(hook)).toMatchObject([
      { outcome: 'failed', reason: 'The agent "clerk" of the webhook does not exist any more.' },
    ]);
    await server.ask('POST', '/api/agents', { id: 'clerk', title: 'Clerk' });
    expect((await deliver(hook)).status).toBe(202);
  });

  test('its runs park at calls that are not allowed in advance', async () => {
    const which = (serverId: string) => ({ serverId, name: 'which' });
    const hook = await create({ allowedTools: [which('left')] });
    server.replies.push(reply.toolCalls(['left__which', 'right__which'].map((name) => ({ name, arguments: {} }))));
    const { runId } = (await deliver(hook)).json as { runId: string };
    expect(await rest(runId)).toMatchObject({ status: 'parked' });
    const { items } = (await server.ask('GET', `/api/interrupts?run=${runId}`)).json as { items: StoredInterrupt[] };
    expect(items.map(({ interrupt }) => 'tool' in interrupt && interrupt.tool.serverId)).toEqual(['right']);
  });

  test('a test fills in the template, and starts a run only if asked to', async () => {
    const { trigger } = await create({ secret: 'a secret of the sender' });
    const dryRun = await server.ask('POST', `/api/triggers/${trigger.id}/test`, { payload: ISSUE });
    expect(dryRun.json).toMatchObject({ message: expect.stringContaining('It breaks'), runId: null });
    const run = await server.ask('POST', `/api/triggers/${trigger.id}/test`, { payload: ISSUE, run: true });
    expect(await rest((run.json as { runId: string }).runId)).toMatchObject({ status: 'done' });
    expect(server.asked()).toHaveLength(1);
    for (const wrong of [{ template: '{{a b}}' }, { agentId: 'ghost' }, { secret: 'short' }]) {
      const change = await server.ask('PATCH', `/api/triggers/${trigger.id}`, { version: 1, ...wrong });
      expect([wrong, change.status]).toEqual([wrong, 400]);
    }
    expect((await create()).secret).toMatch(/^whsec_/);
    const generated = await server.ask('PATCH', `/api/triggers/${trigger.id}`, { version: 1, secret: 'generate' });
    expect(generated.json).toMatchObject({ secret: expect.stringMatching(/^whsec_/) });
  });
});

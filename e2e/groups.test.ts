import { describe, expect, test } from 'vitest';
import type { ConversationView, GroupRunView, ProviderView, SentMessage } from '@toolyard/protocol';
import { textOf } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import type { ModelMessage } from './support/server-instances.ts';
import { ServerInstances } from './support/server-instances.ts';

const decides = (name: string, args: Parameters<typeof reply.toolCalls>[0][number]['arguments']): ModelReply =>
  reply.toolCalls([{ id: name, name, arguments: args }]);

/** The decisions of the supervisor, one per request. */
const DECISIONS = [
  decides('speak', { member: 'Ada', instruction: 'Begin' }),
  decides('broadcast', {}),
  decides('execute_tasks', {
    tasks: [
      { member: 'Ada', task: 'Count' },
      { member: 'Bob', task: 'Fail' },
    ],
  }),
  decides('vote', { question: 'Which?', options: ['Red', 'Blue'], tie_breaker: 'Blue' }),
  decides('delegate', { member: 'Bob' }),
];

function script(messages: readonly ModelMessage[]): ModelReply {
  const system = JSON.stringify(messages[0]?.content ?? '');
  const asked = JSON.stringify(messages.at(-1)?.content ?? '');
  const [, name] = /You are (\w+), a member/.exec(system) ?? [];
  if (name === undefined) {
    return DECISIONS[messages.filter(({ role }) => role === 'assistant').length] ?? reply.text('Closed.');
  }
  if (asked.includes('It is a vote')) return reply.text(name === 'Ada' ? 'Red' : 'Blue');
  if (asked.includes('Fail')) return reply.error(400, 'cannot');
  return reply.text(`I am ${name}.`);
}

/** Authors of the messages, once the run has ended. */
async function authors(url: string, text: string, more: object = {}): Promise<string[]> {
  const message = { parts: [{ type: 'text', text }], ...more };
  const sent = await call<SentMessage>(url, 'POST', '/api/conversations/c/messages', message);
  if ('queued' in sent) throw new Error('the message was queued');
  const { id } = sent.run;
  await eventually(
    async () => (await call<{ endedAt: number | null }>(url, 'GET', `/api/runs/${id}`)).endedAt !== null,
    {
      what: 'the end of the run',
      timeoutMs: 60_000,
    },
  );
  const { group } = await call<{ group: GroupRunView }>(url, 'GET', `/api/runs/${id}/group`);
  const { page } = await call<ConversationView>(url, 'GET', '/api/conversations/c');
  const said = page.messages.flatMap((each) =>
    each.role === 'assistant' && textOf(each) !== '' ? [each.agent?.title ?? 'Supervisor'] : [],
  );
  return [...said, `stop: ${String(group.stop)}`];
}

describe('a group on a server', () => {
  test('works in every mode', async () => {
    await using lives = await ServerInstances.with(script, { delegates: true });
    const { url } = await lives.startHere();
    const { items } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
    const providerId = items.find(({ origin }) => origin === 'environment')?.id ?? '';
    const configuration = { model: { providerId, modelId: 'scripted' } };
    for (const title of ['Ada', 'Bob']) {
      await call(url, 'POST', '/api/agents', { id: title.toLowerCase(), title, configuration });
    }
    const members = [{ agentId: 'ada' }, { agentId: 'bob' }];
    const mode = { kind: 'supervisor', supervisor: { instructions: 'Lead.', model: configuration.model } };
    await call(url, 'POST', '/api/groups', { id: 'g', title: 'Team', members, mode });
    await call(url, 'POST', '/api/conversations', { id: 'c', groupId: 'g' });
    const led = ['Ada', 'Ada', 'Bob', 'Ada', 'Bob'];
    expect(await authors(url, 'Go')).toEqual([...led, 'stop: delegated']);
    const { page } = await call<ConversationView>(url, 'GET', '/api/conversations/c');
    const results = page.messages.flatMap((each) => (each.role === 'tool' ? [each.parts[0].result.structured] : []));
    expect(results).toMatchObject([
      { group: { kind: 'speak', round: 1 } },
      { group: { kind: 'broadcast', round: 2, members: [{ status: 'done' }, { status: 'done' }] } },
      { group: { kind: 'task', round: 3, members: [{ status: 'done' }, { status: 'failed' }] } },
      { group: { kind: 'vote', vote: { winner: 'Blue', wasTied: true } } },
      { group: { kind: 'delegate', round: 5 } },
    ]);
    await call(url, 'PATCH', '/api/groups/g', { version: 1, mode: { kind: 'round_robin' }, maxRounds: 1 });
    expect(await authors(url, 'On')).toEqual([...led, 'Ada', 'Bob', 'stop: max_rounds']);
    expect(await authors(url, 'You', { agentId: 'bob' })).toEqual([...led, 'Ada', 'Bob', 'Bob', 'stop: mentioned']);
  });
});

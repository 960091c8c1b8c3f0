import { describe, expect, test } from 'vitest';
import { initialState } from '@toolyard/agent-runtime';
import type { RunEvent, UsageEntry } from '@toolyard/protocol';
import { DEFAULT_LIMITS, ZERO_SPENT } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import type { RunAccess, RunHostOptions } from './create-run-host.ts';
import { createRunHost } from './create-run-host.ts';
import { driveRun } from './drive-run.ts';
import { access, answering, callsPay, paid, says } from './durable/test-fixtures/memory-run.ts';
import { MemoryConversation } from './memory-conversation.ts';
import { createMemoryJournal } from './memory-journal.ts';
import { memoryLedger } from './memory-ledger.ts';

const configured = (
  intervention: RunHostOptions['configuration']['intervention'],
): RunHostOptions['configuration'] => ({ intervention, interventionRules: [], parameters: {}, toolMode: 'native' });

/** A run that pays once and then says so, with these changes to its options and to its access. */
async function drive(change: Partial<RunAccess>, options: Partial<RunHostOptions> = {}) {
  const clock = createFakeClock();
  const conversation = new MemoryConversation('c');
  conversation.add({ id: 'q', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: 'Pay.' }] });
  const events: RunEvent[] = [];
  const journal = createMemoryJournal({ runId: 'r', clock, publish: (event) => events.push(event) });
  const made: string[] = [];
  const open = access(answering(callsPay, says('Done.')), () => {
    made.push('pay');
    return Promise.resolve(paid);
  });
  const host = createRunHost(
    {
      configuration: configured('manual'),
      modelId: 'm',
      conversation,
      journal,
      ledger: memoryLedger,
      clock,
      signal: new AbortController().signal,
      asking: { who: 'park' },
      questions: { who: 'nobody' },
      ...options,
    },
    { ...(await open()), ...change },
  );
  const state = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });
  const begun = { state, context: { phase: 'user_input' as const } };
  const point = await driveRun({ point: begun, ...host, journal, stopRequested: () => null });
  const asked = events.flatMap((event) => (event.type === 'interrupt_requested' ? [event.interrupt] : []));
  return { status: point.state.status, made, asked, messages: conversation.messages() };
}

describe('createRunHost', () => {
  test('makes a call that the user has allowed', async () => {
    expect(await drive({})).toMatchObject({ status: 'done', made: ['pay'], asked: [] });
  });

  test('asks where there is no decision, and makes no call', async () => {
    const asks = await drive({ permission: () => undefined });
    expect(asks).toMatchObject({ status: 'parked', made: [], asked: [{ kind: 'approval' }] });
  });

  test('does not ask where approvals cannot be requested', async () => {
    const asks = await drive({ permission: () => undefined }, { asks: false });
    expect(asks).toMatchObject({ status: 'done', made: [], asked: [] });
  });

  test('the mode auto asks about the tools of unconfirmed servers, and names them', async () => {
    const configuration = configured('auto');
    const undecided = { permission: () => undefined };
    expect(await drive(undecided, { configuration })).toMatchObject({ status: 'done', made: ['pay'] });
    const unconfirmed = await drive({ ...undecided, unconfirmed: () => ['bank'] }, { configuration });
    expect(unconfirmed).toMatchObject({ status: 'parked', made: [], asked: [{ autoUnconfirmed: ['bank'] }] });
  });

  test('a "never" that is stored while the call was judged still prevents it', async () => {
    let decision: 'allow' | 'never' = 'allow';
    let refreshes = 0;
    const { status, made, messages } = await drive({
      permission: () => decision,
      // First before the calls are judged, then right before each is made.
      refresh: () => {
        if (++refreshes === 2) decision = 'never';
        return Promise.resolve();
      },
    });
    expect({ status, made }).toEqual({ status: 'done', made: [] });
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({
      parts: [{ result: { isError: true, error: { code: 'tool_refused' } } }],
    });
  });

  test('parks before the model is asked where a budget is used up', async () => {
    const spent = { ...ZERO_SPENT, calls: 5 };
    const budgets = {
      budgets: [{ of: 'day', calls: 5 }] as const,
      spent: () => spent,
      refresh: () => undefined,
    };
    expect(await drive({ budgets })).toMatchObject({ status: 'parked', made: [], asked: [{ kind: 'budget' }] });
  });

  test('counts model requests under the id by which the user knows the provider', async () => {
    const entries: UsageEntry[] = [];
    await drive({}, { providerId: 'mine', used: (entry) => entries.push(entry) });
    expect(entries).toMatchObject([
      { kind: 'model', providerId: 'mine', modelId: 'm' },
      { kind: 'tool', tool: { serverId: 'bank', name: 'pay' } },
      { kind: 'model', providerId: 'mine', modelId: 'm' },
    ]);
  });
});

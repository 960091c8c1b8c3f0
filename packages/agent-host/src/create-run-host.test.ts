import { describe, expect, test } from 'vitest';
import { initialState } from '@toolyard/agent-runtime';
import type { RunEvent, UsageEntry, UserPart } from '@toolyard/protocol';
import { DEFAULT_LIMITS, ZERO_SPENT } from '@toolyard/protocol';
import { createFakeClock } from '@toolyard/testing';
import type { RunAccess, RunHostOptions } from './create-run-host.ts';
import { createRunHost } from './create-run-host.ts';
import { driveRun } from './drive-run.ts';
import { access, answering, callsPay, paid, says } from './durable/test-fixtures/memory-run.ts';
import { MemoryConversation } from './in-memory/conversation.ts';
import { createMemoryJournal } from './in-memory/journal.ts';
import { memoryLedger } from './in-memory/ledger.ts';

const configured = (
  intervention: RunHostOptions['configuration']['intervention'],
): RunHostOptions['configuration'] => ({ intervention, interventionRules: [], parameters: {}, toolMode: 'native' });

/** Drives a run with one call of `pay` and then an answer, with these changes to its access and options. */
async function drive(
  change: Partial<RunAccess>,
  options: Partial<RunHostOptions> = {},
  attached: readonly UserPart[] = [],
) {
  const clock = createFakeClock();
  const conversation = new MemoryConversation('c');
  conversation.add({
    id: 'q',
    parentId: null,
    createdAt: 0,
    role: 'user',
    parts: [{ type: 'text', text: 'Pay.' }, ...attached],
  });
  const events: RunEvent[] = [];
  const journal = createMemoryJournal({ runId: 'r', clock, publish: (event) => events.push(event) });
  const callLog: string[] = [];
  const open = access(answering(callsPay, says('Done.')), () => {
    callLog.push('pay');
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
      approvalMode: { mode: 'park' },
      interrupts: { mode: 'decline' },
      ...options,
    },
    { ...(await open()), ...change },
  );
  const state = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });
  const start = { state, context: { phase: 'user_input' as const } };
  const point = await driveRun({ point: start, ...host, journal, stopRequested: () => null });
  const asked = events.flatMap((event) => (event.type === 'interrupt_requested' ? [event.interrupt] : []));
  const notices = events.filter(({ type }) => type === 'notice');
  return { status: point.state.status, callLog, asked, notices, messages: conversation.messages() };
}

describe('createRunHost', () => {
  test('a notice names what the model cannot read and the request leaves out, once', async () => {
    const image = { type: 'image', mimeType: 'image/png', source: { data: 'AA==' } } as const;
    const seen = await drive({ abilities: { inputs: ['text'] } }, {}, [image]);
    expect(seen.notices).toMatchObject([
      { level: 'warning', code: 'attachment_left_out', text: 'm does not accept images, so they were left out.' },
    ]);
    expect((await drive({ abilities: { inputs: ['text', 'image'] } }, {}, [image])).notices).toEqual([]);
  });

  test('makes a call that the user has allowed', async () => {
    expect(await drive({})).toMatchObject({ status: 'done', callLog: ['pay'], asked: [] });
  });

  test('asks without a stored decision, and makes no call', async () => {
    const asks = await drive({ permission: () => undefined });
    expect(asks).toMatchObject({ status: 'parked', callLog: [], asked: [{ kind: 'approval' }] });
  });

  test('does not ask if approvals cannot be requested', async () => {
    const asks = await drive({ permission: () => undefined }, { asks: false });
    expect(asks).toMatchObject({ status: 'done', callLog: [], asked: [] });
  });

  test('asks in mode auto about the tools of unconfirmed servers, and names them', async () => {
    const configuration = configured('auto');
    const undecided = { permission: () => undefined };
    expect(await drive(undecided, { configuration })).toMatchObject({ status: 'done', callLog: ['pay'] });
    const unconfirmed = await drive({ ...undecided, unconfirmed: () => ['bank'] }, { configuration });
    expect(unconfirmed).toMatchObject({ status: 'parked', callLog: [], asked: [{ autoUnconfirmed: ['bank'] }] });
  });

  test('does not make a call if "never" is stored while the call is checked', async () => {
    let decision: 'allow' | 'never' = 'allow';
    let refreshes = 0;
    const { status, callLog, messages } = await drive({
      permission: () => decision,
      // The first call comes before the check, the second right before the call is made.
      refresh: () => {
        if (++refreshes === 2) decision = 'never';
        return Promise.resolve();
      },
    });
    expect({ status, callLog }).toEqual({ status: 'done', callLog: [] });
    expect(messages.find(({ role }) => role === 'tool')).toMatchObject({
      parts: [{ result: { isError: true, error: { code: 'tool_refused' } } }],
    });
  });

  test('parks before the model request if a budget is exhausted', async () => {
    const spent = { ...ZERO_SPENT, calls: 5 };
    const budgets = {
      budgets: [{ of: 'day', calls: 5 }] as const,
      spent: () => spent,
      refresh: () => undefined,
    };
    expect(await drive({ budgets })).toMatchObject({ status: 'parked', callLog: [], asked: [{ kind: 'budget' }] });
  });

  test("counts model requests under the id of the user's provider", async () => {
    const entries: UsageEntry[] = [];
    await drive({}, { providerId: 'mine', used: (entry) => entries.push(entry) });
    expect(entries).toMatchObject([
      { kind: 'model', providerId: 'mine', modelId: 'm' },
      { kind: 'tool', tool: { serverId: 'bank', name: 'pay' } },
      { kind: 'model', providerId: 'mine', modelId: 'm' },
    ]);
  });
});

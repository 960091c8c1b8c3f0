import { describe, expect, it } from 'vitest';
import type {
  ErrorInfo,
  InDoubtAnswer,
  JsonValue,
  LedgerEntry,
  LedgerStatus,
  Message,
  RunEventBody,
  TaskHandle,
  ToolLedger,
  ToolResult,
} from '@toolyard/protocol';
import { DEFAULT_LIMITS, systemClock } from '@toolyard/protocol';
import type { PendingCall, RunnableCall, RunPoint } from '@toolyard/agent-runtime';
import { answerInterrupts, initialState, openInterrupts } from '@toolyard/agent-runtime';
import type { ApprovalMode, RunHost } from '../run-host.ts';
import { createAgentExecutors } from './create-agent-executors.ts';

/** A ledger with the entries of an earlier attempt, as a database would return it. */
class Ledger implements ToolLedger {
  readonly entries = new Map<string, LedgerEntry>();
  readonly log: string[] = [];

  withEntry(callId: string, status: LedgerStatus, detail: JsonValue | null = null): this {
    this.entries.set(callId, { callId, runId: 'r', tool, arguments: {}, status, detail, updatedAt: 500 });
    return this;
  }
  find(callId: string): LedgerEntry | undefined {
    return this.entries.get(callId);
  }
  plan({ callId }: { callId: string }): void {
    this.#move(callId, 'planned');
  }
  sent(callId: string): Promise<void> {
    this.#move(callId, 'sent');
    return Promise.resolve();
  }
  task(callId: string, task: TaskHandle): Promise<void> {
    this.#move(callId, 'sent', { task });
    return Promise.resolve();
  }
  settle(callId: string, to: 'done' | 'failed' | 'in_doubt', detail: JsonValue): void {
    this.#move(callId, to, detail);
  }
  unsend(callId: string): void {
    this.#move(callId, 'planned');
  }
  #move(callId: string, status: LedgerStatus, detail?: JsonValue): void {
    this.log.push(`${callId}: ${status}`);
    this.withEntry(callId, status, detail ?? this.find(callId)?.detail ?? null);
  }
}

const tool = { serverId: 'bank', name: 'pay' };
const FORBIDDEN: ErrorInfo = { code: 'tool_refused', message: 'bank/pay is set to "never".' };
const paid: ToolResult = { content: [{ type: 'text', text: 'paid' }], isError: false, outcome: 'done' };

function pending(callId: string): RunnableCall {
  return { callId, name: 'pay', tool, arguments: {}, decision: 'run' };
}

/** A step that makes `calls`, on a ledger with these entries. */
function stepWith(
  ledger: Ledger,
  options: { asking?: ApprovalMode['mode']; forbidden?: ErrorInfo; repeatable?: boolean; signal?: AbortSignal } = {},
) {
  const events: RunEventBody[] = [];
  const messages: Message[] = [];
  const callLog: string[] = [];
  const throwUnexpectedCall = (): never => {
    throw new Error('unexpected call');
  };
  const host: RunHost = {
    model: { provider: 'none', chat: throwUnexpectedCall, models: throwUnexpectedCall },
    modelId: 'none',
    parameters: {},
    toolMode: 'native',
    tools: {
      tools: () => [],
      resolve: () => undefined,
      callTool: () => {
        callLog.push('call');
        return Promise.resolve(paid);
      },
      resumeTask: ({ taskId }) => {
        callLog.push(`wait for ${taskId}`);
        return Promise.resolve(paid);
      },
    },
    conversation: { id: 'c', messages: () => messages, add: (message) => messages.push(message) },
    journal: { attempt: 2, append: (event) => events.push(event), beginStep() {}, commit() {} },
    ledger,
    clock: systemClock,
    signal: options.signal ?? new AbortController().signal,
    contextSources: () => ({ serverInstructions: [] }),
    approvalMode: options.asking === 'decline' ? { mode: 'decline' } : { mode: 'park' },
    interrupts: { mode: 'decline' },
    remember: () => {},
    forbidden: () => options.forbidden,
    repeatable: () => options.repeatable ?? false,
  };
  const executors = createAgentExecutors(host);
  const base = initialState({ runId: 'r', conversationId: 'c', startedAt: 0, limits: DEFAULT_LIMITS });
  const make = async (calls: PendingCall[], step = 4): Promise<RunPoint> =>
    executors.call_tools_batch({ type: 'call_tools_batch', calls }, { ...base, step, pending: calls });
  const abort = async (calls: PendingCall[]): Promise<RunPoint> =>
    executors.resolve_aborted_tools(
      { type: 'resolve_aborted_tools', calls, ending: { status: 'cancelled' } },
      { ...base, step: 4, pending: calls },
    );
  const results = (): ToolResult[] =>
    messages.flatMap((message) => (message.role === 'tool' ? [message.parts[0].result] : []));
  return { events, callLog, messages, results, make, abort };
}

describe('a step that is retried after a crash', () => {
  it('makes a call that was only planned', async () => {
    const ledger = new Ledger().withEntry('a', 'planned');
    const { make, callLog, results } = stepWith(ledger);
    await make([pending('a')]);
    expect(callLog).toHaveLength(1);
    expect(results()).toEqual([paid]);
    expect(ledger.log).toEqual(['a: planned', 'a: sent', 'a: done']);
  });

  it('does not repeat a call with a stored result, and publishes it once', async () => {
    const ledger = new Ledger().withEntry('a', 'done', { result: paid as unknown as JsonValue, at: 77 });
    const { make, callLog, events, messages } = stepWith(ledger);
    await make([pending('a')]);
    expect(callLog).toHaveLength(0);
    expect(events).toEqual([]);
    expect(messages).toMatchObject([{ id: 'a.result', createdAt: 77, parts: [{ callId: 'a', result: paid }] }]);
  });

  it('waits for the task of a call instead of repeating the call', async () => {
    const task = { tool, taskId: 't-1', era: 'modern' };
    const ledger = new Ledger().withEntry('a', 'sent', { task });
    const { make, callLog, results } = stepWith(ledger, { forbidden: FORBIDDEN });
    const point = await make([pending('a')]);
    expect(callLog).toEqual(['wait for t-1']);
    expect(results()).toEqual([paid]);
    expect(point.state.status).toBe('running');
    expect(ledger.log).toEqual(['a: done']);
  });

  it('asks the user about a call whose stored task is unreadable', async () => {
    const ledger = new Ledger().withEntry('a', 'sent', { task: { taskId: 't-1' } });
    const { make, callLog } = stepWith(ledger);
    expect((await make([pending('a')])).state.status).toBe('parked');
    expect(callLog).toEqual([]);
  });

  it('keeps a stored result, although the tool is forbidden now', async () => {
    const ledger = new Ledger().withEntry('a', 'done', { result: paid as unknown as JsonValue, at: 77 });
    const { make, results } = stepWith(ledger);
    await make([{ ...pending('a'), decision: 'refused', refusal: FORBIDDEN }]);
    expect(results()).toEqual([paid]);
  });

  it('does not make a call that was forbidden after it was approved, and says so', async () => {
    const ledger = new Ledger();
    const { make, callLog, results, events } = stepWith(ledger, { forbidden: FORBIDDEN });
    await make([pending('a')]);
    expect(callLog).toEqual([]);
    expect(results()).toMatchObject([{ outcome: 'not_sent', error: FORBIDDEN }]);
    expect(events.map(({ type }) => type)).toEqual(['tool_finished']);
    expect(ledger.log).toEqual(['a: planned', 'a: failed']);
  });

  it('keeps a call in doubt if it is to be repeated but is forbidden now', async () => {
    const ledger = new Ledger().withEntry('a', 'in_doubt');
    const { make, callLog, results } = stepWith(ledger);
    const doubt = { interruptId: 'a.in_doubt.3', sentAt: 1, answer: { decision: 'repeat' } } as const;
    await make([{ ...pending('a'), approved: true, inDoubt: doubt, decision: 'refused', refusal: FORBIDDEN }]);
    expect(callLog).toEqual([]);
    expect(results()).toMatchObject([{ outcome: 'unknown', error: FORBIDDEN }]);
    expect(ledger.log).toEqual([]);
  });

  it('parks before any call is made if one was sent and has no result', async () => {
    const ledger = new Ledger().withEntry('a', 'sent').withEntry('b', 'planned');
    const { make, callLog, events } = stepWith(ledger);
    const point = await make([pending('a'), pending('b')]);
    expect(callLog).toHaveLength(0);
    expect(point).toMatchObject({ state: { status: 'parked' }, context: { phase: 'waiting' } });
    expect(events).toMatchObject([
      { type: 'interrupt_requested', interrupt: { kind: 'in_doubt', callId: 'a', sentAt: 500 } },
      { type: 'run_parked' },
    ]);
    expect(ledger.log).toEqual(['a: in_doubt']);
  });

  const answerDoubt = async (answer: InDoubtAnswer) => {
    const ledger = new Ledger().withEntry('a', 'sent');
    const step = stepWith(ledger);
    const parked = await step.make([pending('a')]);
    const [open] = openInterrupts(parked.state);
    const { point } = answerInterrupts(parked, new Map([[open?.id ?? '', answer]]));
    await step.make(point.state.pending, 5);
    return { ...step, ledger, point };
  };

  it('repeats the call if the user says so', async () => {
    const { callLog, results, ledger } = await answerDoubt({ decision: 'repeat' });
    expect(callLog).toHaveLength(1);
    expect(results()).toEqual([paid]);
    expect(ledger.log).toEqual(['a: in_doubt', 'a: planned', 'a: sent', 'a: done']);
  });

  it('returns an error to the model if the user says that the call failed', async () => {
    const { callLog, results } = await answerDoubt({ decision: 'failed' });
    expect(callLog).toHaveLength(0);
    expect(results()).toMatchObject([{ isError: true, outcome: 'not_sent', error: { code: 'tool_failed' } }]);
  });

  it('takes the result that the user enters', async () => {
    const { callLog, results } = await answerDoubt({ decision: 'result', text: 'it was paid' });
    expect(callLog).toHaveLength(0);
    expect(results()).toEqual([{ ...paid, content: [{ type: 'text', text: 'it was paid' }] }]);
  });

  it('asks again if a repeated call is interrupted as well', async () => {
    const { ledger, make, point, callLog } = await answerDoubt({ decision: 'repeat' });
    ledger.withEntry('a', 'sent');
    const again = await make(point.state.pending, 6);
    expect(again.state.status).toBe('parked');
    expect(openInterrupts(again.state)).toMatchObject([{ id: 'a.in_doubt.6' }]);
    expect(callLog).toHaveLength(1);
  });

  it('repeats a harmless call without asking', async () => {
    const { make, callLog, events } = stepWith(new Ledger().withEntry('a', 'sent'), { repeatable: true });
    await make([pending('a')]);
    expect(callLog).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['tool_started', 'tool_finished']);
  });

  it('returns an unknown outcome if no user can be asked', async () => {
    const { make, callLog, results } = stepWith(new Ledger().withEntry('a', 'sent'), { asking: 'decline' });
    await make([pending('a')]);
    expect(callLog).toHaveLength(0);
    expect(results()).toMatchObject([{ outcome: 'unknown', error: { code: 'outcome_unknown' } }]);
  });

  it('returns an unknown outcome for a call that was sent before a stop, and keeps an existing result', async () => {
    const ledger = new Ledger()
      .withEntry('a', 'sent')
      .withEntry('b', 'done', { result: paid as unknown as JsonValue, at: 1 });
    const { abort, results } = stepWith(ledger);
    await abort([pending('a'), pending('b'), pending('c')]);
    expect(results()).toMatchObject([{ outcome: 'unknown' }, paid, { outcome: 'not_sent' }]);
  });
});

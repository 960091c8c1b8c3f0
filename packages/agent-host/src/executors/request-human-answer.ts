import type { PromptInterrupt, SelectionInterrupt } from '@toolyard/protocol';
import type { AgentState, Executor, PendingCall, RunPoint } from '@toolyard/agent-runtime';
import { askOf, withAskAnswer } from '@toolyard/agent-runtime';
import type { AskUser, RunHost } from '../run-host.ts';
import { fromPerson } from './from-person.ts';

/** Puts what the model asks in words to the person. */
export function createRequestHumanPrompt(host: RunHost): Executor<'request_human_prompt'> {
  return ({ calls }, state) => request(host, state, calls, 'prompt');
}

/** Puts the choices the model offers to the person. */
export function createRequestHumanSelect(host: RunHost): Executor<'request_human_select'> {
  return ({ calls }, state) => request(host, state, calls, 'selection');
}

async function request(
  host: RunHost,
  state: AgentState,
  calls: readonly PendingCall[],
  kind: 'prompt' | 'selection',
): Promise<RunPoint> {
  const { asking, journal } = host;
  const put = calls.map((call) =>
    call.asks?.kind === kind ? { ...call, asks: { ...call.asks, isOpen: true } } : call,
  );
  if (asking.who === 'park') {
    for (const call of put) {
      const interrupt = askOf(call);
      if (interrupt?.kind === kind) journal.append({ type: 'interrupt_requested', interrupt });
    }
    journal.append({ type: 'run_parked' });
    return { state: { ...state, status: 'parked', pending: put }, context: { phase: 'waiting' } };
  }
  const ask: AskUser = (asking.who === 'person' && asking.askUser) || (() => Promise.resolve({ decision: 'decline' }));
  const pending: PendingCall[] = [];
  // One after the other: there is one person.
  for (const call of put) {
    const interrupt = askOf(call);
    pending.push(interrupt?.kind === kind ? await answered(host, call, interrupt, ask) : call);
  }
  return { state: { ...state, pending }, context: { phase: 'human_response' } };
}

async function answered(
  host: RunHost,
  call: PendingCall,
  interrupt: PromptInterrupt | SelectionInterrupt,
  ask: AskUser,
): Promise<PendingCall> {
  const { journal, signal } = host;
  journal.append({ type: 'interrupt_requested', interrupt });
  const answer = await fromPerson(() => ask(interrupt, { signal }), signal, DECLINED);
  if (answer === null) {
    journal.append({ type: 'interrupt_withdrawn', interruptId: interrupt.id });
    return call;
  }
  const asks = withAskAnswer(call.asks, answer) ?? withAskAnswer(call.asks, DECLINED);
  journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer: asks?.answer ?? DECLINED });
  return asks ? { ...call, asks } : call;
}

/** The model goes on without. */
const DECLINED = { decision: 'decline' } as const;

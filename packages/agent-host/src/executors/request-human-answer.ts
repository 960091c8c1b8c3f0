import type { FormInterrupt, InterruptAnswer, PromptInterrupt, SelectionInterrupt } from '@toolyard/protocol';
import type {
  AgentState,
  Executor,
  PendingFunctionInterrupt,
  PendingCall,
  RunnableCall,
  RunPoint,
} from '@toolyard/agent-runtime';
import { openFunctionInterrupt, withFunctionAnswer } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { askUnlessStopped } from './ask-unless-stopped.ts';

/** Asks the user for text or a form on behalf of tools. */
export function createRequestHumanPrompt(host: RunHost): Executor<'request_human_prompt'> {
  return ({ calls }, state) => request(host, state, calls, ({ kind }) => kind === 'prompt' || kind === 'elicitation');
}

/** Asks the user for a choice on behalf of tools. */
export function createRequestHumanSelect(host: RunHost): Executor<'request_human_select'> {
  return ({ calls }, state) => request(host, state, calls, ({ kind }) => kind === 'selection');
}

async function request(
  host: RunHost,
  state: AgentState,
  calls: readonly PendingCall[],
  includes: (asks: PendingFunctionInterrupt) => boolean,
): Promise<RunPoint> {
  const { approvalMode, journal } = host;
  const isSelected = (call: PendingCall): call is RunnableCall =>
    call.functionInterrupt !== undefined && !call.functionInterrupt.answer && includes(call.functionInterrupt);
  const withInterrupts = calls.map((call): PendingCall =>
    isSelected(call) ? { ...call, functionInterrupt: opened(host, state, call) } : call,
  );
  if (approvalMode.mode === 'park') {
    for (const call of withInterrupts) {
      const interrupt = isSelected(call) ? openFunctionInterrupt(call) : null;
      if (interrupt) journal.append({ type: 'interrupt_requested', interrupt });
    }
    journal.append({ type: 'run_parked' });
    return { state: { ...state, status: 'parked', pending: withInterrupts }, context: { phase: 'waiting' } };
  }
  const pending: PendingCall[] = [];
  // One after another: there is one user.
  for (const call of withInterrupts) {
    const interrupt = isSelected(call) ? openFunctionInterrupt(call) : null;
    pending.push(isSelected(call) && interrupt ? await answered(host, call, interrupt) : call);
  }
  return { state: { ...state, pending }, context: { phase: 'human_response' } };
}

function opened(
  { journal }: RunHost,
  { step }: AgentState,
  { functionInterrupt: asks, callId }: PendingCall,
): PendingFunctionInterrupt {
  if (!asks) throw new TypeError(`call ${callId} has no interrupt`);
  // A form is published before its step is stored, so another attempt needs another id.
  if (asks.kind === 'elicitation') return { ...asks, isOpen: true, id: `${callId}.ask.${step}.${journal.attempt}` };
  return { ...asks, isOpen: true };
}

async function answered(
  host: RunHost,
  call: RunnableCall,
  interrupt: PromptInterrupt | SelectionInterrupt | FormInterrupt,
): Promise<PendingCall> {
  const { journal, signal } = host;
  journal.append({ type: 'interrupt_requested', interrupt });
  const answer = await askUnlessStopped(() => ask(host, interrupt), signal, DECLINED);
  if (answer === null) {
    journal.append({ type: 'interrupt_withdrawn', interruptId: interrupt.id });
    return call;
  }
  const asks =
    withFunctionAnswer(call.functionInterrupt, answer) ?? withFunctionAnswer(call.functionInterrupt, DECLINED);
  journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer: asks?.answer ?? DECLINED });
  return asks ? { ...call, functionInterrupt: asks } : call;
}

async function ask(
  { approvalMode, interrupts, signal }: RunHost,
  interrupt: PromptInterrupt | SelectionInterrupt | FormInterrupt,
): Promise<InterruptAnswer> {
  if (interrupt.kind === 'elicitation') {
    return interrupts.mode === 'ask' ? interrupts.ask(interrupt, { signal }) : DECLINED;
  }
  return (approvalMode.mode === 'ask' && approvalMode.askUser?.(interrupt, { signal })) || DECLINED;
}

/** The tool continues without an answer. */
const DECLINED = { decision: 'decline' } as const;

import type { ApprovalAnswer } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { AgentState, Executor, PendingCall, RunPoint } from '@toolyard/agent-runtime';
import { approvalOf, isStop, checkScope, standingAnswer, STOPPED_ANSWER, withApproval } from '@toolyard/agent-runtime';
import type { AskApproval, RunHost } from '../run-host.ts';
import { askUnlessStopped } from './ask-unless-stopped.ts';

/** Asks the user to approve each call that needs it, and stores the answers with the calls. */
export function createRequestHumanApprove(host: RunHost): Executor<'request_human_approve'> {
  return async ({ calls }, state) => {
    const { approvalMode } = host;
    if (approvalMode.mode === 'park') return park(host, state, calls);
    const ask: AskApproval =
      approvalMode.mode === 'ask' ? approvalMode.ask : () => Promise.resolve({ decision: 'refuse' });
    const { pending, stopped } = await askEach(host, calls, ask);
    return { state: { ...state, pending }, context: stopped ? STOPPED_ANSWER : { phase: 'human_response' } };
  };
}

/** Stores the interrupts and parks the run. */
function park(host: RunHost, state: AgentState, calls: PendingCall[]): RunPoint {
  for (const call of calls) {
    const interrupt = approvalOf(call);
    if (interrupt) host.journal.append({ type: 'interrupt_requested', interrupt });
  }
  host.journal.append({ type: 'run_parked' });
  return { state: { ...state, status: 'parked', pending: calls }, context: { phase: 'waiting' } };
}

type Decided = { pending: PendingCall[]; stopped: boolean };

async function askEach(host: RunHost, calls: PendingCall[], ask: AskApproval): Promise<Decided> {
  const decided: PendingCall[] = [];
  const lasting = new Map<string, ApprovalAnswer>();
  // One after another: a decision for the conversation also covers later calls of the batch.
  for (const [at, call] of calls.entries()) {
    const interrupt = approvalOf(call);
    if (!interrupt) {
      decided.push(call);
      continue;
    }
    const reference = formatToolReference(interrupt.tool);
    let answer = standingAnswer(lasting.get(reference), interrupt);
    if (!answer) {
      host.journal.append({ type: 'interrupt_requested', interrupt });
      const userAnswer = await askUnlessStopped(() => ask(interrupt, { signal: host.signal }), host.signal, NOT_ASKED);
      if (userAnswer === null) {
        host.journal.append({ type: 'interrupt_withdrawn', interruptId: interrupt.id });
        return { pending: [...decided, ...calls.slice(at)], stopped: false };
      }
      answer = userAnswer;
      host.journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer });
      const lasts = answer.scope !== undefined && answer.scope !== 'once';
      if (lasts && checkScope(interrupt, answer) === null) {
        lasting.set(reference, answer);
        host.remember?.(interrupt.tool, answer, interrupt.definition);
      }
    }
    decided.push(withApproval(call, answer));
    if (isStop(answer)) return { pending: [...decided, ...calls.slice(at + 1)], stopped: true };
  }
  return { pending: decided, stopped: false };
}

const NOT_ASKED: ApprovalAnswer = { decision: 'refuse', reason: 'the question could not be asked' };

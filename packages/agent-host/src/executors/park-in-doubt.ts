import type { InDoubtInterrupt } from '@toolyard/protocol';
import type { AgentState, PendingCall, RunnableCall, RunPoint } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { isInDoubt } from './make-call.ts';

/**
 * Asks the user about calls that an earlier attempt sent without receiving a result, before any other call of the step
 * is made. Null if there are none or no user can be asked; the model then gets an unknown outcome.
 */
export function parkInDoubt(host: RunHost, state: AgentState, calls: readonly PendingCall[]): RunPoint | null {
  if (host.approvalMode.mode !== 'park' || !calls.some((call) => isInDoubt(host, call))) return null;

  const pending = calls.map((call) => (isInDoubt(host, call) ? withDoubtInterrupt(host, call, state.step) : call));
  host.journal.append({ type: 'run_parked' });
  return { state: { ...state, status: 'parked', pending }, context: { phase: 'waiting' } };
}

/** The call in doubt, with the interrupt that asks whether it took effect. */
export function withDoubtInterrupt(host: RunHost, call: RunnableCall, step: number): RunnableCall {
  const { callId, tool, name } = call;
  const entry = host.ledger.find(callId);
  if (!entry) return call;
  const sentAt = entry.status === 'sent' ? entry.updatedAt : (call.inDoubt?.sentAt ?? entry.updatedAt);
  if (entry.status === 'sent') host.ledger.settle(callId, 'in_doubt', { sentAt });
  // A repeated call can be in doubt again; each time has an interrupt of its own.
  const interruptId = `${callId}.in_doubt.${step}`;
  const interrupt: InDoubtInterrupt = {
    id: interruptId,
    kind: 'in_doubt',
    callId,
    tool,
    name,
    arguments: call.arguments,
    sentAt,
  };
  host.journal.append({ type: 'interrupt_requested', interrupt });
  return { ...call, inDoubt: { interruptId, sentAt } };
}

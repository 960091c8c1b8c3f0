import type { InDoubtInterrupt } from '@toolyard/protocol';
import type { AgentState, PendingCall, RunPoint } from '@toolyard/agent-runtime';
import { openInterrupts } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { isInDoubt } from './make-call.ts';

/**
 * Asks the person about calls an earlier attempt sent and never saw answered, before any other call of the step is
 * made. Null where there are none, or where nobody can be asked: the model is told then.
 */
export function parkInDoubt(host: RunHost, state: AgentState, calls: readonly PendingCall[]): RunPoint | null {
  if (host.asking.who !== 'park' || !calls.some((call) => isInDoubt(host, call))) return null;

  const pending = calls.map((call): PendingCall => {
    const entry = host.ledger.find(call.callId);
    if (!entry || !isInDoubt(host, call)) return call;
    const sentAt = entry.status === 'sent' ? entry.updatedAt : (call.doubt?.sentAt ?? entry.updatedAt);
    if (entry.status === 'sent') host.ledger.settle(call.callId, 'in_doubt', { sentAt });
    // A call that is repeated on a person's word can come into doubt again: each doubt is a question of its own.
    return { ...call, doubt: { interruptId: `${call.callId}.in_doubt.${state.step}`, sentAt } };
  });
  const parked: AgentState = { ...state, status: 'parked', pending };
  for (const interrupt of openInterrupts(parked).filter(isInDoubtInterrupt)) {
    host.journal.append({ type: 'interrupt_requested', interrupt });
  }
  host.journal.append({ type: 'run_parked' });
  return { state: parked, context: { phase: 'waiting' } };
}

function isInDoubtInterrupt(interrupt: { kind: string }): interrupt is InDoubtInterrupt {
  return interrupt.kind === 'in_doubt';
}

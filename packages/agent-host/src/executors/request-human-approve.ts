import type { ApprovalAnswer, ApprovalInterrupt } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { Executor, PendingCall } from '@toolyard/agent-runtime';
import type { AskApproval, RunHost } from '../run-host.ts';

/** Puts each call that needs it to a person, and keeps the answers with the calls. */
export function createRequestHumanApprove(host: RunHost): Executor<'request_human_approve'> {
  return async ({ calls }, state) => {
    const decided: PendingCall[] = [];
    const allowedNow = new Set<string>();
    // One after the other: what is allowed for the conversation need not be asked twice in one batch.
    for (const call of calls) {
      const { tool } = call;
      if (call.decision !== 'ask' || !tool) {
        decided.push(call);
        continue;
      }
      if (allowedNow.has(formatToolReference(tool))) {
        decided.push({ ...call, decision: 'run' });
        continue;
      }
      const interrupt: ApprovalInterrupt = {
        id: `${call.callId}.approval`,
        kind: 'approval',
        callId: call.callId,
        tool,
        name: call.name,
        arguments: call.arguments,
      };
      host.journal.append({ type: 'interrupt_requested', interrupt });
      const answer = await ask(host.ask, interrupt, host.signal);
      host.journal.append({ type: 'interrupt_answered', interruptId: interrupt.id, answer });
      if (answer.decision === 'approve' && answer.scope === 'conversation') {
        allowedNow.add(formatToolReference(tool));
        host.allow(formatToolReference(tool));
      }
      decided.push(withAnswer(call, answer));
    }
    return { state: { ...state, pending: decided }, context: { phase: 'human_response' } };
  };
}

async function ask(
  askApproval: AskApproval | undefined,
  interrupt: ApprovalInterrupt,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  if (!askApproval || signal.aborted) return { decision: 'refuse' };
  let stop: (() => void) | undefined;
  const stopped = new Promise<ApprovalAnswer>((resolve) => {
    stop = () => resolve({ decision: 'refuse', reason: 'the run was stopped' });
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([askApproval(interrupt, { signal }), stopped]);
  } catch {
    return { decision: 'refuse', reason: 'the question could not be put' };
  } finally {
    if (stop) signal.removeEventListener('abort', stop);
  }
}

function withAnswer(call: PendingCall, answer: ApprovalAnswer): PendingCall {
  if (answer.decision === 'approve') return { ...call, decision: 'run' };
  const reason = answer.reason ? `: ${answer.reason}` : '';
  return {
    ...call,
    decision: 'refused',
    refusal: {
      code: 'tool_refused',
      message: `The person refused this call${reason}. Do not try it again unless they ask for it.`,
    },
  };
}

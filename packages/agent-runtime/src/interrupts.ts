import type { ApprovalAnswer, ApprovalInterrupt, InDoubtAnswer, Interrupt, InterruptAnswer } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { RunPoint } from './agent-runtime.ts';
import type { AgentState, PendingCall, PendingQuestion } from './state.ts';

/** The question whether a call may be made; null where nothing is to be asked. */
export function approvalOf(call: PendingCall): ApprovalInterrupt | null {
  const { callId, tool, name, decision, about } = call;
  if (decision !== 'ask' || tool === null) return null;
  return { id: `${callId}.approval`, kind: 'approval', callId, tool, name, arguments: call.arguments, ...about };
}

/** Everything a parked run waits for, in the order of its calls. */
export function openInterrupts(state: AgentState): Interrupt[] {
  return state.pending.flatMap((call): Interrupt[] => {
    const approval = approvalOf(call);
    if (approval) return [approval];
    const { callId, tool, name, doubt, waits } = call;
    const asked = (waits?.questions ?? []).flatMap(({ interrupt, answer }) => (answer ? [] : [interrupt]));
    if (asked.length > 0) return asked;
    if (!doubt || doubt.answer || tool === null) return [];
    const { interruptId: id, sentAt } = doubt;
    return [{ id, kind: 'in_doubt', callId, tool, name, arguments: call.arguments, sentAt }];
  });
}

/** How a run rests: where tabs alone are waited for, it says so. */
export function restingStatus(state: AgentState): 'parked' | 'waiting_for_tab' {
  const open = openInterrupts(state);
  return open.length > 0 && open.every(({ kind }) => kind === 'tab') ? 'waiting_for_tab' : 'parked';
}

/** The call with what the person said about it. */
export function withApproval(call: PendingCall, answer: ApprovalAnswer): PendingCall {
  if (answer.decision === 'approve') return { ...call, decision: 'run', approved: true };
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

/**
 * A parked run after these answers. A decision that reaches beyond its own call settles the other open calls of the
 * same tool too: `answered` names every interrupt that is settled now. While `stillOpen` is not empty the run stays
 * parked, else it goes on.
 */
export function answerInterrupts(
  point: RunPoint,
  answers: ReadonlyMap<string, InterruptAnswer>,
): { point: RunPoint; answered: { interruptId: string; answer: InterruptAnswer }[]; stillOpen: string[] } {
  const answered: { interruptId: string; answer: InterruptAnswer }[] = [];
  const lasting = new Map<string, ApprovalAnswer>();
  for (const open of openInterrupts(point.state)) {
    const answer = answers.get(open.id);
    if (open.kind === 'approval' && answer && isLasting(answer)) lasting.set(formatToolReference(open.tool), answer);
  }

  const pending = point.state.pending.map((call): PendingCall => {
    const approval = approvalOf(call);
    if (approval) {
      const answer = answers.get(approval.id) ?? settledBy(lasting.get(formatToolReference(approval.tool)), approval);
      if (!answer || !isApproval(answer)) return call;
      answered.push({ interruptId: approval.id, answer });
      return withApproval(call, answer);
    }
    if (call.waits?.questions.some((question) => question.answer === undefined)) {
      const questions = call.waits.questions.map((question): PendingQuestion => {
        const answer = question.answer === undefined ? answers.get(question.interrupt.id) : undefined;
        if (!answer) return question;
        answered.push({ interruptId: question.interrupt.id, answer });
        return { ...question, answer };
      });
      return { ...call, waits: { ...call.waits, questions } };
    }
    if (!call.doubt || call.doubt.answer) return call;
    const answer = answers.get(call.doubt.interruptId);
    if (!answer || !isAboutDoubt(answer)) return call;
    answered.push({ interruptId: call.doubt.interruptId, answer });
    return { ...call, approved: true, doubt: { ...call.doubt, answer } };
  });

  const state = { ...point.state, pending };
  const stillOpen = openInterrupts(state).map(({ id }) => id);
  if (stillOpen.length > 0) return { point: { ...point, state }, answered, stillOpen };
  return {
    point: { state: { ...state, status: 'running' }, context: { phase: 'human_response' } },
    answered,
    stillOpen,
  };
}

/** What is feared is let through by an answer to its own question only. */
export function settledBy(lasting: ApprovalAnswer | undefined, open: ApprovalInterrupt): ApprovalAnswer | undefined {
  return lasting?.decision === 'approve' && open.danger !== undefined ? undefined : lasting;
}

function isApproval(answer: InterruptAnswer): answer is ApprovalAnswer {
  return answer.decision === 'approve' || answer.decision === 'refuse';
}

function isAboutDoubt(answer: InterruptAnswer): answer is InDoubtAnswer {
  return answer.decision === 'repeat' || answer.decision === 'failed' || answer.decision === 'result';
}

function isLasting(answer: InterruptAnswer): answer is ApprovalAnswer {
  return isApproval(answer) && answer.scope !== undefined && answer.scope !== 'once';
}

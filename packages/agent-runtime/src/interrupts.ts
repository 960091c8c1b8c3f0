import type {
  ApprovalAnswer,
  ApprovalInterrupt,
  BudgetAnswer,
  CallInterrupt,
  InDoubtAnswer,
  Interrupt,
  InterruptAnswer,
  JsonObject,
} from '@toolyard/protocol';
import {
  budgetExceeded,
  canonicalJson,
  defined,
  formatToolReference,
  isOnceOnly,
  mergeBudgets,
  createErrorInfo,
  say,
} from '@toolyard/protocol';
import type { RunPoint } from './agent-runtime.ts';
import { openChildrenOf, withChildrenOver } from './delegation.ts';
import { openFunctionInterrupt, withFunctionAnswer } from './tool-interrupts.ts';
import type { AgentContext, RequestMode } from './instructions.ts';
import { dangerOf } from './intervention/intervention-checker.ts';
import type { AgentState, PendingCall, PendingInterrupt } from './state.ts';

/** The approval that a call needs; null if it needs none. */
export function approvalOf(call: PendingCall): ApprovalInterrupt | null {
  const { callId, tool, name, decision, about, askedAgain } = call;
  if (decision !== 'ask') return null;
  const id = askedAgain === undefined ? `${callId}.approval` : `${callId}.approval.${askedAgain}`;
  return { id, kind: 'approval', callId, tool, name, arguments: call.arguments, ...about };
}

/** All interrupts of a parked run, in the order of its calls. */
export function openInterrupts(state: AgentState): Interrupt[] {
  return state.budgetInterrupt ? [state.budgetInterrupt] : openCallInterrupts(state);
}

function openCallInterrupts(state: AgentState): CallInterrupt[] {
  return state.pending.flatMap((call): CallInterrupt[] => {
    const approval = approvalOf(call);
    if (approval) return [approval];
    const ask = openFunctionInterrupt(call);
    if (ask) return [ask];
    const { callId, tool, name, inDoubt: doubt, serverInterrupts: waits } = call;
    const asked = (waits?.interrupts ?? []).flatMap(({ interrupt, answer }) => (answer ? [] : [interrupt]));
    if (asked.length > 0) return asked;
    if (!doubt || doubt.answer) return [];
    const { interruptId: id, sentAt } = doubt;
    return [{ id, kind: 'in_doubt', callId, tool, name, arguments: call.arguments, sentAt }];
  });
}

/** The status of a parked run, which differs if it waits only for tabs. */
export function parkedStatus(state: AgentState): 'parked' | 'waiting_for_tab' {
  const open = openInterrupts(state);
  return open.length > 0 && open.every(({ kind }) => kind === 'tab') ? 'waiting_for_tab' : 'parked';
}

/** The call with the answer to its {@link approvalOf}; unchanged if it needs no approval. */
export function withApproval(call: PendingCall, answer: ApprovalAnswer): PendingCall {
  if (call.decision !== 'ask') return call;
  if (answer.decision === 'approve') {
    const approved = { ...call, decision: 'run', approved: true } as const;
    const args = answer.arguments ?? call.arguments;
    if (!call.edited && isSame(args, call.arguments)) return approved;
    const danger = call.about?.danger;
    return { ...approved, arguments: args, edited: danger === undefined ? {} : { danger } };
  }
  // A reason may be a sentence.
  const reason = answer.reason?.replace(/\.$/, '') ?? '';
  return {
    ...call,
    decision: 'refused',
    refusal: createErrorInfo({
      code: 'tool_refused',
      message: answer.reason
        ? say`The user denied this call: ${reason}. Do not retry it unless the user asks for it.`
        : say`The user denied this call. Do not retry it unless the user asks for it.`,
    }),
  };
}

/**
 * A parked run after these answers, and after these child runs (`over`) have ended. A lasting decision also settles the other open calls of the same tool: `answered`
 * has every interrupt that is now settled. While `stillOpen` (interrupts and child runs) is not empty the run stays
 * parked; then it continues, or ends if the user stopped it.
 */
export function answerInterrupts(
  point: RunPoint,
  answers: ReadonlyMap<string, InterruptAnswer>,
  over: ReadonlySet<string> = new Set(),
): { point: RunPoint; answered: { interruptId: string; answer: InterruptAnswer }[]; stillOpen: string[] } {
  if (point.state.budgetInterrupt) {
    const { id: interruptId } = point.state.budgetInterrupt;
    const answer = answers.get(interruptId);
    if (!answer || !isAboutBudget(answer)) return { point, answered: [], stillOpen: [interruptId] };
    const request = point.context.phase === 'waiting' ? point.context.request : undefined;
    return {
      point: withBudgetAnswer(point.state, answer, request),
      answered: [{ interruptId, answer }],
      stillOpen: [],
    };
  }
  const answered: { interruptId: string; answer: InterruptAnswer }[] = [];
  const lasting = new Map<string, ApprovalAnswer>();
  for (const open of openInterrupts(point.state)) {
    const answer = answers.get(open.id);
    if (open.kind === 'approval' && answer && isLasting(answer)) lasting.set(formatToolReference(open.tool), answer);
  }

  const pending = point.state.pending.map((call): PendingCall => {
    if (call.problem) return call;
    if (call.functionInterrupt?.kind === 'delegation' && !call.functionInterrupt.answer)
      return withChildrenOver(call, over);
    const approval = approvalOf(call);
    if (approval) {
      const answer =
        answers.get(approval.id) ?? standingAnswer(lasting.get(formatToolReference(approval.tool)), approval);
      if (!answer || !isApproval(answer)) return call;
      answered.push({ interruptId: approval.id, answer });
      return withApproval(call, answer);
    }
    const ask = openFunctionInterrupt(call);
    if (ask) {
      const answer = answers.get(ask.id);
      const asks = answer && withFunctionAnswer(call.functionInterrupt, answer);
      if (!answer || !asks) return call;
      answered.push({ interruptId: ask.id, answer });
      return { ...call, functionInterrupt: asks };
    }
    if (call.serverInterrupts?.interrupts.some((pending) => pending.answer === undefined)) {
      const questions = call.serverInterrupts.interrupts.map((pending): PendingInterrupt => {
        const answer = pending.answer === undefined ? answers.get(pending.interrupt.id) : undefined;
        if (!answer) return pending;
        answered.push({ interruptId: pending.interrupt.id, answer });
        return { ...pending, answer };
      });
      return { ...call, serverInterrupts: { ...call.serverInterrupts, interrupts: questions } };
    }
    if (!call.inDoubt || call.inDoubt.answer) return call;
    const answer = answers.get(call.inDoubt.interruptId);
    if (!answer || !isAboutDoubt(answer)) return call;
    answered.push({ interruptId: call.inDoubt.interruptId, answer });
    return { ...call, approved: true, inDoubt: { ...call.inDoubt, answer } };
  });

  const state = { ...point.state, pending };
  if (answered.some(({ answer }) => isStop(answer))) {
    return { point: { state: { ...state, status: 'running' }, context: STOPPED_ANSWER }, answered, stillOpen: [] };
  }
  const stillOpen = [...openInterrupts(state).map(({ id }) => id), ...openChildrenOf(state)];
  if (stillOpen.length > 0) return { point: { ...point, state }, answered, stillOpen };
  return {
    point: { state: { ...state, status: 'running' }, context: { phase: 'human_response' } },
    answered,
    stillOpen,
  };
}

/** True for a denial that also ends the run. */
export function isStop(answer: InterruptAnswer): boolean {
  return answer.decision === 'refuse' && answer.stops === true;
}

/** The next context of a run that a user stopped with an answer. */
export const STOPPED_ANSWER: AgentContext = { phase: 'ending', ending: { status: 'cancelled' } };

/** The run after the user answered a budget interrupt; `request` has the options of the waiting request. */
export function withBudgetAnswer(
  { budgetInterrupt: asksBudget, ...rest }: AgentState,
  answer: BudgetAnswer,
  request?: RequestMode,
): RunPoint {
  const state: AgentState = { ...rest, status: 'running' };
  const context = { phase: 'human_response' as const, ...defined({ request }) };
  if (!asksBudget) return { state, context };
  const { budget, measure, spent } = asksBudget;
  if (answer.decision === 'stop') {
    const error = budgetExceeded(budget, measure, spent);
    return { state, context: { phase: 'ending', ending: { status: 'failed', error } } };
  }
  const raised = mergeBudgets(state.raised, [{ ...budget, [measure]: answer.limit }]);
  return { state: { ...state, raised }, context };
}

/**
 * Null if the scope of an approval is valid. A call that is flagged as dangerous can be allowed once only: a longer
 * scope would cover calls that no user has seen. The same holds for a call that a rule asks about, since the rule would
 * ask again.
 */
export function checkScope(open: ApprovalInterrupt, answer: ApprovalAnswer): string | null {
  if (answer.decision !== 'approve' || answer.scope === 'once') return null;
  if (open.byRule === true) return 'A rule asks before every call like this one: it can only be allowed once.';
  const { arguments: written = open.arguments } = answer;
  if (open.danger === undefined && isOnceOnly(open)) {
    return 'The model wrote this call as text that it repeats or quotes: it can only be allowed once.';
  }
  const why = open.danger ?? (isSame(written, open.arguments) ? undefined : dangerOf(open.tool, written)?.text);
  if (why === undefined) return null;
  return `This call can only be allowed once. ${why}`;
}

/**
 * A call that is flagged as dangerous needs an answer to its own approval, and edited arguments apply only to the call
 * they were edited for.
 */
export function standingAnswer(
  lasting: ApprovalAnswer | undefined,
  open: ApprovalInterrupt,
): ApprovalAnswer | undefined {
  if (lasting?.decision !== 'approve') return lasting;
  return isOnceOnly(open) ? undefined : { decision: 'approve', scope: lasting.scope };
}

function isSame(one: JsonObject, other: JsonObject): boolean {
  return one === other || canonicalJson(one) === canonicalJson(other);
}

function isApproval(answer: InterruptAnswer): answer is ApprovalAnswer {
  return answer.decision === 'approve' || answer.decision === 'refuse';
}

function isAboutBudget(answer: InterruptAnswer): answer is BudgetAnswer {
  return answer.decision === 'raise' || answer.decision === 'stop';
}

function isAboutDoubt(answer: InterruptAnswer): answer is InDoubtAnswer {
  return answer.decision === 'repeat' || answer.decision === 'failed' || answer.decision === 'result';
}

function isLasting(answer: InterruptAnswer): answer is ApprovalAnswer {
  return isApproval(answer) && answer.scope !== undefined && answer.scope !== 'once';
}

import type { ErrorInfo, ToolMessage, ToolResult } from '@toolyard/protocol';
import type { AgentState, Ending, Executor, PendingCall, RunPoint } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';
import { SamplingUsage } from './sampling-usage.ts';
import type { AnsweredCall, Unanswered } from './make-call.ts';
import {
  ledgerAnswer,
  getEditedArguments,
  committedAnswer,
  makeCall,
  notSent,
  planCall,
  STOPPED_RESULT,
  UNKNOWN_AFTER_STOP,
} from './make-call.ts';
import { addMemberAnswers } from './member-answers.ts';
import { withDoubtInterrupt, parkInDoubt } from './park-in-doubt.ts';

/** Makes one call. */
export function createCallTool(host: RunHost): Executor<'call_tool'> {
  return ({ call }, state) => makeCalls(host, state, [call], 'tool_result');
}

/** Makes several calls concurrently; their results are added to the conversation in the order of the calls. */
export function createCallToolsBatch(host: RunHost): Executor<'call_tools_batch'> {
  return ({ calls }, state) => makeCalls(host, state, calls, 'tools_batch_result');
}

/** Answers calls that are not made because the run ends. */
export function createResolveAbortedTools(host: RunHost): Executor<'resolve_aborted_tools'> {
  return async ({ calls, ending }, state) => ({
    state: await answerCalls(host, state, calls, (call) => Promise.resolve(notMade(host, call, ending))),
    context: { phase: 'ending', ending },
  });
}

async function makeCalls(
  host: RunHost,
  state: AgentState,
  calls: PendingCall[],
  phase: 'tool_result' | 'tools_batch_result',
): Promise<RunPoint> {
  const parked = parkInDoubt(host, state, calls);
  if (parked) return parked;
  for (const call of calls) {
    const plan = planCall(host, call);
    if (plan.do === 'make') {
      const { callId, tool, arguments: args, edited } = plan.call;
      host.ledger.plan({ callId, tool, arguments: args, ...(edited === undefined ? {} : { edited: true }) });
    }
  }
  const samplingUsage = new SamplingUsage(host, state);
  const after = await answerCalls(host, state, calls, (call) => makeCall(host, call, samplingUsage, state));
  const paid = samplingUsage.addTo(after);
  if (paid.pending.length === 0) return { state: await addMemberAnswers(host, paid), context: { phase } };
  // Published before the run parks, together with the interrupts of other calls.
  if (paid.pending.some(({ functionInterrupt: asks }) => asks && !asks.isOpen))
    return { state: paid, context: { phase: 'human_response' } };
  host.journal.append({ type: 'run_parked' });
  return { state: { ...paid, status: 'parked' }, context: { phase: 'waiting' } };
}

async function answerCalls(
  host: RunHost,
  state: AgentState,
  calls: readonly PendingCall[],
  answer: (call: PendingCall) => Promise<AnsweredCall | Unanswered>,
): Promise<AgentState> {
  const before = host.conversation.messages().at(-1)?.id ?? null;
  const answers = await inParallel(calls, state.limits.toolConcurrency, async (call, index) => {
    const above = calls[index - 1];
    const startedAt = host.clock.monotonic();
    const answered = await answer(call);
    if ('call' in answered) {
      return { call: answered.isDoubted ? withDoubtInterrupt(host, answered.call, state.step) : answered.call };
    }
    const { result, stored } = answered;
    const at = stored?.at ?? host.clock.now();
    const message: ToolMessage = {
      id: getResultId(call),
      parentId: above ? getResultId(above) : before,
      createdAt: at,
      role: 'tool',
      name: call.name,
      tool: call.tool,
      ...getEditedArguments(call),
      parts: [{ type: 'tool_result', callId: call.callId, result }],
    };
    // The result of an earlier attempt was published then.
    if (stored) return { call, message };
    const durationMs = Math.round(host.clock.monotonic() - startedAt);
    host.journal.append({ type: 'tool_finished', callId: call.callId, result, message, durationMs });
    settle(host, call, result, at);
    if (call.tool && result.outcome !== 'not_sent') {
      host.used?.({ kind: 'tool', at, durationMs, tool: call.tool, failed: result.isError });
    }
    return { call, message };
  });
  // Results are added in order: those after a waiting call wait as well, although they are published.
  const firstWaiting = answers.findIndex(({ message }) => message === undefined);
  const whole = firstWaiting === -1 ? answers : answers.slice(0, firstWaiting);
  for (const { message } of whole) if (message) host.conversation.add(message);
  const pending = answers
    .slice(whole.length)
    .map(({ call, message }) => (message ? withPublishedResult(host, call, message) : call));
  return { ...state, pending };
}

/** The call with its published result: the user is not asked about it again, even if permissions change. */
function withPublishedResult(
  host: RunHost,
  call: PendingCall,
  { parts: [{ result }], createdAt: at }: ToolMessage,
): PendingCall {
  const isKept = committedAnswer(host, call) !== undefined;
  return { ...call, approved: true, ...(isKept ? {} : { answered: { result, at } }) };
}

/** Derived from the call alone: a later step that finds the result published refers to the same message. */
function getResultId({ callId }: PendingCall): string {
  return `${callId}.result`;
}

const LEDGER_STATUS = { done: 'done', not_sent: 'failed', unknown: 'in_doubt' } as const;

/** The ledger contains only calls that were planned. */
function settle(host: RunHost, call: PendingCall, result: ToolResult, at: number): void {
  const entry = host.ledger.find(call.callId);
  const to = LEDGER_STATUS[result.outcome];
  if (entry && entry.status !== to) host.ledger.settle(call.callId, to, ledgerAnswer(result, at));
}

function notMade(host: RunHost, call: PendingCall, ending: Ending): AnsweredCall {
  const left = committedAnswer(host, call);
  if (left) return left;
  const status = host.ledger.find(call.callId)?.status;
  if (status === 'sent' || status === 'in_doubt') return { result: UNKNOWN_AFTER_STOP };
  return { result: notSent(call.refusal ?? whyNot(ending)) };
}

function whyNot(ending: Ending): ErrorInfo {
  if (ending.status !== 'failed') return STOPPED_RESULT;
  return { code: ending.error.code, message: `Not made: ${ending.error.message}` };
}

/** Processes `items` with a concurrency of `limit`; the results have the order of the items. */
async function inParallel<T, R>(
  items: readonly T[],
  limit: number,
  work: (item: T, index: number) => Promise<R>,
): Promise<R[]> {
  const [only] = items;
  if (items.length === 1 && only !== undefined) return [await work(only, 0)];
  const results: R[] = [];
  const entries = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item, index);
  };
  await Promise.all(Array.from({ length: Math.min(limit, items.length) }, worker));
  return results;
}

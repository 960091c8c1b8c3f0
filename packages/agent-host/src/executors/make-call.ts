import type { ErrorInfo, JsonObject, TaskHandle, ToolOutcome, ToolResult } from '@toolyard/protocol';
import { defined, formatToolReference, isJsonObject, readTaskHandle } from '@toolyard/protocol';
import type { AgentState, PendingCall, RunnableCall } from '@toolyard/agent-runtime';
import type { Caller } from '@toolyard/mcp-host';
import type { RunHost } from '../run-host.ts';
import { FunctionQuestions } from './function-questions.ts';
import { CallQuestions } from './call-questions.ts';
import type { SamplingUsage } from './sampling-usage.ts';

/** The result of a call; `stored` if an earlier attempt of the step had it already. */
export type AnsweredCall = { result: ToolResult; stored?: { at: number } };

/**
 * The call has no result yet, and the user is asked: what its tool or its server wants to know first, or, if it was sent
 * and its executor is gone (`isDoubted`), whether it took effect.
 */
export type Unanswered = { call: RunnableCall; isDoubted?: true };

/** What is to be done about a call, by what is known of it. */
export type CallPlan =
  | { do: 'make'; call: RunnableCall }
  /** It was made, and its server executes it as a task. */
  | { do: 'wait'; call: RunnableCall; handle: TaskHandle }
  | { do: 'answer'; answered: AnsweredCall };

/** Looks at what was decided and at what earlier attempts left in the ledger. */
export function planCall(host: RunHost, call: PendingCall): CallPlan {
  if (call.problem) return answer(notSent(call.problem));
  // Before any refusal: an outcome counts, whatever was decided since.
  const left = committedAnswer(host, call);
  if (left) return { do: 'answer', answered: left };
  const handle = taskOf(host, call);
  if (handle) return { do: 'wait', call, handle };
  const isDoubted = host.ledger.find(call.callId)?.status === 'in_doubt';
  const said = isDoubted ? call.doubt?.answer : undefined;
  if (said?.decision === 'failed') return answer(notSent(SAID_FAILED));
  if (said?.decision === 'result') return answer(said.result ?? saidResult(said.text));
  if (call.refusal) return answer(refused(call, call.refusal));
  if (call.decision !== 'run') return answer(notSent(NOT_APPROVED));
  if (isInDoubt(host, call)) return answer(UNKNOWN_AFTER_CRASH);
  const misfit = misfitOf(host, call);
  return misfit ? answer(notSent(misfit)) : { do: 'make', call };
}

/** Arguments that the user edited are validated as those of a model. */
function misfitOf(host: RunHost, { edited, tool, name, arguments: args }: RunnableCall): ErrorInfo | undefined {
  if (edited === undefined) return undefined;
  const reference = formatToolReference(tool);
  const offered = host.tools.tools().find((each) => formatToolReference(each.tool) === reference);
  const misfit = offered?.checkArguments(args) ?? null;
  if (misfit === null) return undefined;
  const message = `The person changed the arguments of "${name}", and they do not fit its schema: ${misfit}`;
  return { code: 'invalid_arguments', message };
}

/** True where nobody can say whether the call took effect, and making it again might do it twice. */
export function isInDoubt(host: RunHost, call: PendingCall): call is RunnableCall {
  const entry = host.ledger.find(call.callId);
  if (!entry || call.problem || committedAnswer(host, call) || taskOf(host, call)) return false;
  if (entry.status === 'in_doubt') return call.doubt?.answer === undefined;
  return entry.status === 'sent' && !host.repeatable(call.tool);
}

/** The task an earlier attempt left behind. */
function taskOf(host: RunHost, call: PendingCall): TaskHandle | null {
  const entry = host.ledger.find(call.callId);
  if (entry?.status !== 'sent' || !isJsonObject(entry.detail)) return null;
  return readTaskHandle(entry.detail['task']);
}

/** The answer an earlier attempt committed. */
export function committedAnswer(host: RunHost, call: PendingCall): AnsweredCall | undefined {
  if (call.answered) return { result: call.answered.result, stored: { at: call.answered.at } };
  const detail = host.ledger.find(call.callId)?.detail;
  if (!isJsonObject(detail) || !isJsonObject(detail['result']) || typeof detail['at'] !== 'number') return undefined;
  // Written by `ledgerAnswer`, and by nobody else.
  return { result: detail['result'] as unknown as ToolResult, stored: { at: detail['at'] } };
}

/** What the ledger keeps of an answer. */
export function ledgerAnswer(result: ToolResult, at: number): JsonObject {
  return { result: result, at };
}

/** Makes one call, or answers it without, or finds out what it waits for. Never throws for what a tool does. */
export async function makeCall(
  host: RunHost,
  pending: PendingCall,
  bill: SamplingUsage,
  state: AgentState,
): Promise<AnsweredCall | Unanswered> {
  const outlook = planCall(host, pending);
  if (outlook.do === 'answer') return outlook.answered;
  if (host.signal.aborted) return { result: notSent(STOPPED_RESULT) };
  const { call } = outlook;
  if (outlook.do === 'wait') return waitForTask(host, call, outlook.handle, bill, state.step);
  const { callId, name, tool } = call;
  // The user's answer to a call in doubt is newer than what was decided about its tool.
  const refusal = call.doubt ? undefined : await host.forbidden(tool, call.arguments);
  if (refusal) return { result: notSent(refusal) };
  const questions = new CallQuestions(host, { callId, tool, name, step: state.step, bill });
  const asks = new FunctionQuestions(host, call);
  const said = call.waits && (await questions.resume(call.waits));
  if (said && 'refusal' in said) return { result: notSent(said.refusal) };
  host.journal.append({ type: 'tool_started', callId, tool, name, ...editedArgumentsOf(call) });
  const stored = host.ledger.sent(callId);
  if (stored) await stored;
  try {
    const { definition } = call.about ?? {};
    const result = await host.tools.callTool(tool, call.arguments, {
      callId,
      caller: callerOf(host),
      signal: host.signal,
      onProgress: (progress) => host.journal.append({ type: 'tool_progress', callId, ...progress }),
      onTask: (handle) => host.ledger.task(callId, handle),
      ...questions.options,
      ...(said?.resume ? { resume: said.resume } : {}),
      ...(call.approved && definition !== undefined ? { definition } : {}),
      run: {
        id: state.runId,
        budget: { limits: state.limits, turns: state.turns, spent: state.spent.run },
        ask: (question) => asks.ask(question),
        parked: asks.parked,
      },
    });
    const { left } = asks;
    if (left) {
      host.ledger.unsend(callId);
      return { call: { ...call, ...left } };
    }
    return await settled(host, call, result, questions);
  } catch (thrown) {
    // A tool host answers with results and does not throw; if one does, nobody knows how far the call went.
    host.onDefect?.(thrown);
    return { result: brokeOff(name) };
  }
}

/** Goes on waiting where an earlier attempt was cut off: the call is not made again. */
async function waitForTask(
  host: RunHost,
  call: RunnableCall,
  handle: TaskHandle,
  bill: SamplingUsage,
  step: number,
): Promise<AnsweredCall | Unanswered> {
  const { callId, name } = call;
  const { tool } = handle;
  const questions = new CallQuestions(host, { callId, tool, name, step, bill });
  host.journal.append({ type: 'tool_started', callId, tool, name, ...editedArgumentsOf(call) });
  try {
    const result = await host.tools.resumeTask(handle, {
      caller: callerOf(host),
      signal: host.signal,
      onProgress: (progress) => host.journal.append({ type: 'tool_progress', callId, ...progress }),
      ...questions.options,
    });
    return await settled(host, call, result, questions);
  } catch (thrown) {
    host.onDefect?.(thrown);
    return { result: brokeOff(name) };
  }
}

function callerOf({ principal, conversation }: RunHost): Caller {
  return { conversationId: conversation.id, ...defined({ principal }) };
}

/** What is told of the arguments besides what the model asked for. */
export function editedArgumentsOf({ edited, arguments: args }: PendingCall): { editedArguments?: JsonObject } {
  return edited === undefined ? {} : { editedArguments: args };
}

/** What the outcome of a call means: a result, or something the user is asked about. */
async function settled(
  host: RunHost,
  call: RunnableCall,
  result: ToolResult,
  questions: CallQuestions,
): Promise<AnsweredCall | Unanswered> {
  if (result.error?.code === 'tab_gone' && host.asking.who === 'park' && !host.signal.aborted) {
    return { call, isDoubted: true };
  }
  const waits = await questions.leftBy(result);
  if (waits === null) return { result };
  host.ledger.unsend(call.callId);
  return { call: { ...call, waits } };
}

function brokeOff(name: string): ToolResult {
  const message = `"${name}" broke off; it is not known whether it took effect. Do not repeat it.`;
  return failedResult({ code: 'outcome_unknown', message }, 'unknown');
}

export function notSent(error: ErrorInfo): ToolResult {
  return failedResult(error, 'not_sent');
}

/** A call that must not be made: of one in doubt, which is not made again, the first sending may have taken effect. */
function refused(call: RunnableCall, refusal: ErrorInfo): ToolResult {
  return call.doubt ? failedResult(refusal, 'unknown') : notSent(refusal);
}

function failedResult(error: ErrorInfo, outcome: ToolOutcome): ToolResult {
  return { content: [{ type: 'text', text: error.message }], isError: true, outcome, error };
}

function saidResult(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false, outcome: 'done' };
}

function answer(result: ToolResult): CallPlan {
  return { do: 'answer', answered: { result } };
}

export const STOPPED_RESULT: ErrorInfo = { code: 'cancelled', message: 'Not made: the run was stopped.' };

export const UNKNOWN_AFTER_STOP = failedResult(
  {
    code: 'outcome_unknown',
    message: 'The run was stopped while this call was under way; it is not known whether it took effect.',
  },
  'unknown',
);

const UNKNOWN_AFTER_CRASH = failedResult(
  {
    code: 'outcome_unknown',
    message: 'Toolyard died while this call was under way; it is not known whether it took effect. Do not repeat it.',
  },
  'unknown',
);

const NOT_APPROVED: ErrorInfo = { code: 'tool_refused', message: 'This call was not approved and has not been made.' };

const SAID_FAILED: ErrorInfo = {
  code: 'tool_failed',
  message: 'This call was cut off; the person says that it did not take effect.',
};

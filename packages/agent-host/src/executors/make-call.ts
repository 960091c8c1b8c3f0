import type { ErrorInfo, JsonObject, TaskHandle, ToolOutcome, ToolResult, ErrorInit } from '@toolyard/protocol';
import { createErrorInfo, defined, formatToolReference, isJsonObject, readTaskHandle, say } from '@toolyard/protocol';
import type { AgentState, PendingCall, RunnableCall } from '@toolyard/agent-runtime';
import type { Caller } from '@toolyard/mcp-host';
import type { GroupOfCall } from '../run-group.ts';
import type { RunHost } from '../run-host.ts';
import { FunctionInterrupts } from './function-interrupts.ts';
import { CallInterrupts } from './call-interrupts.ts';
import type { SamplingUsage } from './sampling-usage.ts';

/** The result of a call; `stored` if an earlier attempt of the step had it already. */
export type AnsweredCall = { result: ToolResult; stored?: { at: number } };

/**
 * The call has no result yet, and the user is asked: an interrupt of its tool or server, or, if it was sent and the
 * process crashed (`isDoubted`), whether it took effect.
 */
export type Unanswered = { call: RunnableCall; isDoubted?: true };

/** What to do about a call. */
export type CallPlan =
  | { do: 'make'; call: RunnableCall }
  /** It was made, and its server executes it as a task. */
  | { do: 'wait'; call: RunnableCall; handle: TaskHandle }
  | { do: 'answer'; answered: AnsweredCall };

/** Decides by the stored decision and by the ledger entries of earlier attempts. */
export function planCall(host: RunHost, call: PendingCall): CallPlan {
  if (call.problem) return answer(notSent(call.problem));
  // Before any refusal: an outcome stays valid, whatever was decided since.
  const committed = committedAnswer(host, call);
  if (committed) return { do: 'answer', answered: committed };
  const handle = findTask(host, call);
  if (handle) return { do: 'wait', call, handle };
  const isDoubted = host.ledger.find(call.callId)?.status === 'in_doubt';
  const userAnswer = isDoubted ? call.inDoubt?.answer : undefined;
  if (userAnswer?.decision === 'failed') return answer(notSent(USER_SAYS_FAILED));
  if (userAnswer?.decision === 'result') return answer(userAnswer.result ?? resultFromUser(userAnswer.text));
  if (call.refusal) return answer(refused(call, call.refusal));
  if (call.decision !== 'run') return answer(notSent(NOT_APPROVED));
  if (isInDoubt(host, call)) return answer(UNKNOWN_AFTER_CRASH);
  const invalid = invalidArguments(host, call);
  return invalid ? answer(notSent(invalid)) : { do: 'make', call };
}

/** Validates edited arguments like those of a model. */
function invalidArguments(host: RunHost, { edited, tool, name, arguments: args }: RunnableCall): ErrorInfo | undefined {
  if (edited === undefined) return undefined;
  const reference = formatToolReference(tool);
  const offered = host.tools.tools().find((each) => formatToolReference(each.tool) === reference);
  const mismatch = offered?.checkArguments(args) ?? null;
  if (mismatch === null) return undefined;
  const message = `The user edited the arguments of "${name}", and they do not match its schema: ${mismatch}`;
  return { code: 'invalid_arguments', message };
}

/** True if the outcome of the call is unknown and repeating it might have its effect twice. */
export function isInDoubt(host: RunHost, call: PendingCall): call is RunnableCall {
  const entry = host.ledger.find(call.callId);
  if (!entry || call.problem || committedAnswer(host, call) || findTask(host, call)) return false;
  if (entry.status === 'in_doubt') return call.inDoubt?.answer === undefined;
  return entry.status === 'sent' && !host.repeatable(call.tool);
}

/** The task handle that an earlier attempt stored. */
function findTask(host: RunHost, call: PendingCall): TaskHandle | null {
  const entry = host.ledger.find(call.callId);
  if (entry?.status !== 'sent' || !isJsonObject(entry.detail)) return null;
  return readTaskHandle(entry.detail['task']);
}

/** The result that an earlier attempt committed. */
export function committedAnswer(host: RunHost, call: PendingCall): AnsweredCall | undefined {
  if (call.answered) return { result: call.answered.result, stored: { at: call.answered.at } };
  const detail = host.ledger.find(call.callId)?.detail;
  if (!isJsonObject(detail) || !isJsonObject(detail['result']) || typeof detail['at'] !== 'number') return undefined;
  // Only `ledgerAnswer` writes it.
  return { result: detail['result'] as unknown as ToolResult, stored: { at: detail['at'] } };
}

/** The result as the ledger stores it. */
export function ledgerAnswer(result: ToolResult, at: number): JsonObject {
  return { result: result, at };
}

/** Makes one call, answers it without making it, or finds out what it waits for. Never throws because of a tool. */
export async function makeCall(
  host: RunHost,
  pending: PendingCall,
  samplingUsage: SamplingUsage,
  state: AgentState,
): Promise<AnsweredCall | Unanswered> {
  const plan = planCall(host, pending);
  if (plan.do === 'answer') return plan.answered;
  if (host.signal.aborted) return { result: notSent(STOPPED_RESULT) };
  const { call } = plan;
  if (plan.do === 'wait') return waitForTask(host, call, plan.handle, samplingUsage, state.step);
  const { callId, name, tool } = call;
  // The user's answer to a call in doubt is newer than the decision about its tool.
  const refusal = call.inDoubt ? undefined : await host.forbidden(tool, call.arguments);
  if (refusal) return { result: notSent(refusal) };
  const interrupts = new CallInterrupts(host, { callId, tool, name, step: state.step, samplingUsage });
  const functionInterrupts = new FunctionInterrupts(host, call);
  const userAnswer = call.serverInterrupts && (await interrupts.resume(call.serverInterrupts));
  if (userAnswer && 'refusal' in userAnswer) return { result: notSent(userAnswer.refusal) };
  host.journal.append({ type: 'tool_started', callId, tool, name, ...getEditedArguments(call) });
  const stored = host.ledger.sent(callId);
  if (stored) await stored;
  try {
    const { definition } = call.about ?? {};
    const result = await host.tools.callTool(tool, call.arguments, {
      callId,
      caller: getCaller(host),
      signal: host.signal,
      onProgress: (progress) => host.journal.append({ type: 'tool_progress', callId, ...progress }),
      onTask: (handle) => host.ledger.task(callId, handle),
      ...interrupts.options,
      ...(userAnswer?.resume ? { resume: userAnswer.resume } : {}),
      ...(call.approved && definition !== undefined ? { definition } : {}),
      run: {
        id: state.runId,
        workspace: host.workspace,
        skills: host.skills,
        budget: { limits: state.limits, turns: state.turns, spent: state.spent.run },
        modelRequests: samplingUsage.of(tool),
        ask: (request) => functionInterrupts.ask(request),
        delegate: (tasks) => functionInterrupts.delegate(tasks),
        parked: functionInterrupts.parked,
        group: groupOfCall(host, call, state),
      },
    });
    const { newInterrupts } = functionInterrupts;
    if (newInterrupts) {
      host.ledger.unsend(callId);
      return { call: { ...call, ...newInterrupts } };
    }
    return await settled(host, call, result, interrupts);
  } catch (thrown) {
    // A tool host returns errors as results; if it throws, the outcome of the call is unknown.
    host.onDefect?.(thrown);
    return { result: brokeOff(name) };
  }
}

/** The members for a call. When it is made again with their answers, the group may have changed since. */
function groupOfCall(
  { group }: RunHost,
  { functionInterrupt: asks }: RunnableCall,
  state: AgentState,
): GroupOfCall | undefined {
  if (!group) return undefined;
  const asked = asks?.kind === 'delegation' ? asks.tasks.flatMap(({ member }) => (member ? [member] : [])) : [];
  const names = group.members.map(({ name }) => name);
  return { members: asked.length > 0 ? asked : group.members, names, round: state.group?.round ?? 0 };
}

/** Continues to wait for a task of an earlier attempt: the call is not made again. */
async function waitForTask(
  host: RunHost,
  call: RunnableCall,
  handle: TaskHandle,
  samplingUsage: SamplingUsage,
  step: number,
): Promise<AnsweredCall | Unanswered> {
  const { callId, name } = call;
  const { tool } = handle;
  const interrupts = new CallInterrupts(host, { callId, tool, name, step, samplingUsage });
  host.journal.append({ type: 'tool_started', callId, tool, name, ...getEditedArguments(call) });
  try {
    const result = await host.tools.resumeTask(handle, {
      caller: getCaller(host),
      signal: host.signal,
      onProgress: (progress) => host.journal.append({ type: 'tool_progress', callId, ...progress }),
      ...interrupts.options,
    });
    return await settled(host, call, result, interrupts);
  } catch (thrown) {
    host.onDefect?.(thrown);
    return { result: brokeOff(name) };
  }
}

function getCaller({ principal, conversation, roots }: RunHost): Caller {
  return { conversationId: conversation.id, ...defined({ principal, roots }) };
}

/** The edited arguments, for events and messages, if a user edited them. */
export function getEditedArguments({ edited, arguments: args }: PendingCall): { editedArguments?: JsonObject } {
  return edited === undefined ? {} : { editedArguments: args };
}

/** Converts the outcome of a call into a result, or into an interrupt. */
async function settled(
  host: RunHost,
  call: RunnableCall,
  result: ToolResult,
  interrupts: CallInterrupts,
): Promise<AnsweredCall | Unanswered> {
  if (isAbandoned(result) && host.approvalMode.mode === 'park' && !host.signal.aborted) {
    return { call, isDoubted: true };
  }
  const serverInterrupts = await interrupts.findInterrupts(result);
  if (serverInterrupts === null) return { result: (await host.keepResult?.(result)) ?? result };
  host.ledger.unsend(call.callId);
  return { call: { ...call, serverInterrupts } };
}

/** The tab or the process that made the call is gone: only the user may find out whether it took effect. */
function isAbandoned({ error }: ToolResult): boolean {
  return error?.code === 'tab_gone' || error?.code === 'process_gone';
}

function brokeOff(name: string): ToolResult {
  const message = say`"${name}" was interrupted; its outcome is unknown. Do not repeat it.`;
  return failedResult({ code: 'outcome_unknown', message }, 'unknown');
}

export function notSent(error: ErrorInit): ToolResult {
  return failedResult(error, 'not_sent');
}

/** The result of a call that must not be made. One in doubt that is not repeated keeps its unknown outcome. */
function refused(call: RunnableCall, refusal: ErrorInfo): ToolResult {
  return call.inDoubt ? failedResult(refusal, 'unknown') : notSent(refusal);
}

function failedResult(error: ErrorInit, outcome: ToolOutcome): ToolResult {
  const info = createErrorInfo(error);
  return { content: [{ type: 'text', text: info.message }], isError: true, outcome, error: info };
}

function resultFromUser(text: string): ToolResult {
  return { content: [{ type: 'text', text }], isError: false, outcome: 'done' };
}

function answer(result: ToolResult): CallPlan {
  return { do: 'answer', answered: { result } };
}

export const STOPPED_RESULT: ErrorInfo = createErrorInfo({
  code: 'cancelled',
  message: say`Not made: the run was stopped.`,
});

export const UNKNOWN_AFTER_STOP = failedResult(
  {
    code: 'outcome_unknown',
    message: say`The run was stopped during this call; its outcome is unknown.`,
  },
  'unknown',
);

const UNKNOWN_AFTER_CRASH = failedResult(
  {
    code: 'outcome_unknown',
    message: say`Toolyard was interrupted during this call; its outcome is unknown. Do not repeat it.`,
  },
  'unknown',
);

export const NOT_APPROVED: ErrorInfo = createErrorInfo({
  code: 'tool_refused',
  message: say`This call was not approved and was not made.`,
});

const USER_SAYS_FAILED: ErrorInfo = createErrorInfo({
  code: 'tool_failed',
  message: say`This call was interrupted; the user reports that it did not take effect.`,
});

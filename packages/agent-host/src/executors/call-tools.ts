import type { ErrorInfo, ToolMessage, ToolOutcome, ToolReference, ToolResult } from '@toolyard/protocol';
import type { AgentState, Ending, Executor, PendingCall } from '@toolyard/agent-runtime';
import type { RunHost } from '../run-host.ts';

/** Makes one call. */
export function createCallTool(host: RunHost): Executor<'call_tool'> {
  return async ({ call }, state) => ({
    state: await answerCalls(host, state, [call], (pending) => makeCall(host, pending)),
    context: { phase: 'tool_result' },
  });
}

/** Makes several calls at once; their results enter the conversation in the order they were asked for. */
export function createCallToolsBatch(host: RunHost): Executor<'call_tools_batch'> {
  return async ({ calls }, state) => ({
    state: await answerCalls(host, state, calls, (pending) => makeCall(host, pending)),
    context: { phase: 'tools_batch_result' },
  });
}

/** Answers calls that will not be made because the run ends. */
export function createResolveAbortedTools(host: RunHost): Executor<'resolve_aborted_tools'> {
  return async ({ calls, ending }, state) => ({
    state: await answerCalls(host, state, calls, () => Promise.resolve(notSent(whyNot(ending)))),
    context: { phase: 'ending', ending },
  });
}

async function answerCalls(
  host: RunHost,
  state: AgentState,
  calls: readonly PendingCall[],
  answer: (call: PendingCall) => Promise<ToolResult>,
): Promise<AgentState> {
  const before = host.conversation.messages().at(-1)?.id ?? null;
  const idOf = (index: number): string => `${state.runId}.${state.step}.${index}`;

  const messages = await inParallel(calls, state.limits.toolConcurrency, async (call, index) => {
    const startedAt = host.clock.monotonic();
    const result = await answer(call);
    const message: ToolMessage = {
      id: idOf(index),
      parentId: index === 0 ? before : idOf(index - 1),
      createdAt: host.clock.now(),
      role: 'tool',
      name: call.name,
      tool: call.tool,
      parts: [{ type: 'tool_result', callId: call.callId, result }],
    };
    const durationMs = Math.round(host.clock.monotonic() - startedAt);
    host.journal.append({ type: 'tool_finished', callId: call.callId, result, message, durationMs });
    return message;
  });
  for (const message of messages) host.conversation.add(message);
  return { ...state, pending: [] };
}

async function makeCall(host: RunHost, call: PendingCall): Promise<ToolResult> {
  if (call.problem) return notSent(call.problem);
  if (call.refusal) return notSent(call.refusal);
  if (call.decision !== 'run' || call.tool === null) return notSent(NOT_APPROVED);
  if (host.signal.aborted) return notSent(STOPPED);
  return run(host, call, call.tool);
}

async function run(host: RunHost, call: PendingCall, tool: ToolReference): Promise<ToolResult> {
  const { callId } = call;
  host.journal.append({ type: 'tool_started', callId, tool, name: call.name });
  try {
    return await host.tools.callTool(tool, call.arguments, {
      signal: host.signal,
      onProgress: (progress) => host.journal.append({ type: 'tool_progress', callId, ...progress }),
    });
  } catch {
    // A tool host answers with results and does not throw; if one does, nobody knows how far the call went.
    return failedResult(
      {
        code: 'outcome_unknown',
        message: `"${call.name}" broke off; it is not known whether it took effect. Do not repeat it.`,
      },
      'unknown',
    );
  }
}

/** Works through `items`, at most `limit` at once; the results stand in the order of the items. */
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

const NOT_APPROVED: ErrorInfo = { code: 'tool_refused', message: 'This call was not approved and has not been made.' };
const STOPPED: ErrorInfo = { code: 'cancelled', message: 'Not made: the run was stopped.' };

function whyNot(ending: Ending): ErrorInfo {
  if (ending.status !== 'failed') return STOPPED;
  return { code: ending.error.code, message: `Not made: ${ending.error.message}` };
}

function notSent(error: ErrorInfo): ToolResult {
  return failedResult(error, 'not_sent');
}

function failedResult(error: ErrorInfo, outcome: ToolOutcome): ToolResult {
  return { content: [{ type: 'text', text: error.message }], isError: true, outcome, error };
}

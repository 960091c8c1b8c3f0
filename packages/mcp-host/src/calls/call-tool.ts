import type { ErrorInfo, JsonValue, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { say } from '@toolyard/protocol';
import { explainFailedCall, notSent } from './call-failure.ts';
import { checkStructured } from './check-arguments.ts';
import { readToolResult } from '../catalogue/read-result.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import { RoundDelegated } from './request.ts';
import { followTask } from '../tasks/follow-task.ts';
import { readTaskId } from '../tasks/read-task.ts';
import { explainFailedTask, namelessTask } from '../tasks/task-result.ts';
import type { TaskWire } from '../tasks/task-wire.ts';
import type { CallToolOptions, Era } from '../types.ts';
import type { RequestContext } from './track-request.ts';
import { RequestStopped } from './track-request.ts';

/** What {@link finishTask} needs. */
export type TaskWait = {
  context: RequestContext;
  /** Undefined if the server no longer lists it. */
  tool: ListedTool | undefined;
  openTask: (taskId: string) => Promise<TaskWire>;
  options: CallToolOptions;
  timeoutMs: number;
  whyLost(): ErrorInfo | undefined;
  /** Called when a request failed in a way that may mean that the connection is lost. */
  onFailed(thrown: unknown): void;
  warn: (text: string) => void;
};

export type Call = TaskWait & {
  tool: ListedTool;
  reference: ToolReference;
  era: Era;
};

/** Reads the answer to a call: its result, or the task it became, which is awaited. */
export async function readCall(call: Call, raw: unknown): Promise<ToolResult> {
  const { tool, reference, era, options, warn } = call;
  const taskId = readTaskId(raw, era);
  if (taskId === undefined) {
    options.onResponse?.(raw as JsonValue);
    return checkResult(readToolResult(raw), tool, warn);
  }
  if (taskId === null) return namelessTask(reference);
  const handle: TaskHandle = { tool: reference, taskId, era };
  return finishTask(call, handle, async () => options.onTask?.(handle));
}

/** The result of a call that failed without one. */
export function explainCall(call: Call, thrown: unknown): ToolResult {
  const { reference, options, timeoutMs } = call;
  if (thrown instanceof RoundDelegated) {
    options.onRound?.(thrown.round);
    return notSent({ code: 'input_required', message: say`${reference.name} needs more input before it continues.` });
  }
  call.onFailed(thrown);
  const stopped = thrown instanceof RequestStopped ? thrown.by : null;
  return explainFailedCall({ tool: reference, thrown, stopped, timeoutMs, lost: call.whyLost() });
}

/** Waits until a task ends. Never throws. */
export async function finishTask(
  wait: TaskWait,
  handle: TaskHandle,
  before?: () => Promise<void>,
): Promise<ToolResult> {
  const { context, tool, openTask, options, timeoutMs, warn } = wait;
  try {
    const raw = await followTask({ context, openTask, handle, before, options, timeoutMs });
    options.onResponse?.(raw as JsonValue);
    return tool === undefined ? readToolResult(raw) : checkResult(readToolResult(raw), tool, warn);
  } catch (thrown) {
    wait.onFailed(thrown);
    const stopped = thrown instanceof RequestStopped ? thrown.by : null;
    return explainFailedTask({ tool: handle.tool, thrown, stopped, timeoutMs, lost: wait.whyLost() });
  }
}

/**
 * The call has been executed, so a result that violates the tool's outputSchema is kept, with a note to the model and a
 * warning in the server's log.
 */
function checkResult(result: ToolResult, tool: ListedTool, warn: (text: string) => void): ToolResult {
  const { outputSchema } = tool;
  if (outputSchema === undefined || result.isError) return result;
  if (result.structured === undefined) {
    warn(`The tool "${tool.name}" declares an outputSchema but returned no structured content.`);
    return result;
  }
  const fault = checkStructured(outputSchema, result.structured);
  if (fault === null) return result;
  warn(`The structured content of the tool "${tool.name}" does not match its outputSchema: ${fault}`);
  const note = `[The structured content of this result does not match the tool's outputSchema: ${fault}]`;
  return { ...result, content: [...result.content, { type: 'text', text: note }] };
}

import type { ErrorInfo, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { explainFailedCall, notSent } from './call-failure.ts';
import { checkStructured } from './check-arguments.ts';
import { readToolResult } from '../catalogue/read-result.ts';
import type { ListedTool } from '../catalogue/read-tool.ts';
import { RoundDelegated } from './request.ts';
import { followTask } from '../tasks/follow-task.ts';
import { taskIdOf } from '../tasks/read-task.ts';
import { explainFailedTask, namelessTask } from '../tasks/task-result.ts';
import type { TaskWire } from '../tasks/task-wire.ts';
import type { CallToolOptions, Era } from '../types.ts';
import type { RequestContext } from './track-request.ts';
import { RequestStopped } from './track-request.ts';

/** What waiting for a task needs. */
export type TaskWait = {
  context: RequestContext;
  /** Undefined where the server does not list it any more. */
  tool: ListedTool | undefined;
  openTask: (taskId: string) => Promise<TaskWire>;
  options: CallToolOptions;
  timeoutMs: number;
  whyLost(): ErrorInfo | undefined;
  /** A request failed in a way that may mean the end of the connection. */
  onFailed(thrown: unknown): void;
  warn: (text: string) => void;
};

export type Call = TaskWait & {
  tool: ListedTool;
  reference: ToolReference;
  era: Era;
};

/** What a server sent for a call: its result, or the task it has become, which is waited for. */
export async function readCall(call: Call, raw: unknown): Promise<ToolResult> {
  const { tool, reference, era, options, warn } = call;
  const taskId = taskIdOf(raw, era);
  if (taskId === undefined) return checked(readToolResult(raw), tool, warn);
  if (taskId === null) return namelessTask(reference);
  const handle: TaskHandle = { tool: reference, taskId, era };
  return finishTask(call, handle, async () => options.onTask?.(handle));
}

/** The result of a call whose request was not answered with one. */
export function explainCall(call: Call, thrown: unknown): ToolResult {
  const { reference, options, timeoutMs } = call;
  if (thrown instanceof RoundDelegated) {
    options.onRound?.(thrown.round);
    return notSent({ code: 'input_required', message: `${reference.name} asks for more before it goes on.` });
  }
  call.onFailed(thrown);
  const stopped = thrown instanceof RequestStopped ? thrown.by : null;
  return explainFailedCall({ tool: reference, thrown, stopped, timeoutMs, lost: call.whyLost() });
}

/** Waits until a task is over. Never throws. */
export async function finishTask(
  wait: TaskWait,
  handle: TaskHandle,
  before?: () => Promise<void>,
): Promise<ToolResult> {
  const { context, tool, openTask, options, timeoutMs, warn } = wait;
  try {
    const raw = await followTask({ context, openTask, handle, before, options, timeoutMs });
    return tool === undefined ? readToolResult(raw) : checked(readToolResult(raw), tool, warn);
  } catch (thrown) {
    wait.onFailed(thrown);
    const stopped = thrown instanceof RequestStopped ? thrown.by : null;
    return explainFailedTask({ tool: handle.tool, thrown, stopped, timeoutMs, lost: wait.whyLost() });
  }
}

/**
 * The call has been made: a result that breaks the tool's own promise is kept, and said to be what it is, to the model
 * and to whoever looks after the server.
 */
function checked(result: ToolResult, tool: ListedTool, warn: (text: string) => void): ToolResult {
  const { outputSchema } = tool;
  if (outputSchema === undefined || result.isError) return result;
  if (result.structured === undefined) {
    warn(`The tool "${tool.name}" promises structured content and gave none.`);
    return result;
  }
  const fault = checkStructured(outputSchema, result.structured);
  if (fault === null) return result;
  warn(`The structured content of the tool "${tool.name}" does not fit its own outputSchema: ${fault}`);
  const note = `[The structured content of this result does not fit the schema the tool promised: ${fault}]`;
  return { ...result, content: [...result.content, { type: 'text', text: note }] };
}

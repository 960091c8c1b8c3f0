import type { ErrorCode, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { formatToolReference } from '@toolyard/protocol';
import type { FailedCall } from '../calls/call-failure.ts';
import { explainFailedCall, unknownOutcome } from '../calls/call-failure.ts';
import { TaskCancelled, TaskFailed, TaskForgotten } from './follow-task.ts';

/** Says what is known of a call that became a task and came to no result. The server had accepted it. */
export function explainFailedTask(failed: FailedCall): ToolResult {
  const name = formatToolReference(failed.tool);
  const { thrown } = failed;
  if (thrown instanceof TaskForgotten) {
    return unknownOutcome('outcome_unknown', `The server no longer knows the task it made of ${name}.`);
  }
  if (thrown instanceof TaskCancelled) {
    const why = thrown.message === '' ? '' : `: ${thrown.message.slice(0, 1_000)}`;
    return unknownOutcome('cancelled', `The server has cancelled the task it made of ${name}${why}.`);
  }
  if (thrown instanceof TaskFailed) {
    const message = `${name} failed: ${thrown.message.slice(0, 2_000)}`;
    return {
      content: [{ type: 'text', text: message }],
      isError: true,
      outcome: 'done',
      error: { code: 'tool_failed', message },
    };
  }
  const result = explainFailedCall(failed);
  if (result.outcome !== 'not_sent') return result;
  // What was not sent is a question about the task; the call was.
  const code: ErrorCode = result.error?.code ?? 'outcome_unknown';
  return unknownOutcome(code, `The server could not be asked what became of ${name}: ${result.error?.message ?? ''}`);
}

/** The server has made a task of the call, and did not say which. */
export function namelessTask(tool: ToolReference): ToolResult {
  const name = formatToolReference(tool);
  return unknownOutcome('outcome_unknown', `The server made a task of ${name} that cannot be asked about.`);
}

/** A task that nobody here can ask about. */
export function unreachableTask({ tool }: TaskHandle, why: string): ToolResult {
  return unknownOutcome('outcome_unknown', `What became of ${formatToolReference(tool)} cannot be asked: ${why}`);
}

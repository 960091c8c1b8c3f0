import type { ErrorCode, TaskHandle, ToolReference, ToolResult } from '@toolyard/protocol';
import { createErrorInfo, formatToolReference, say } from '@toolyard/protocol';
import type { FailedCall } from '../calls/call-failure.ts';
import { explainFailedCall, unknownOutcome } from '../calls/call-failure.ts';
import { TaskCancelled, TaskFailed, TaskForgotten } from './follow-task.ts';

/** The result of a call that became a task and ended without one. The server had accepted the call. */
export function explainFailedTask(failed: FailedCall): ToolResult {
  const name = formatToolReference(failed.tool);
  const { thrown } = failed;
  if (thrown instanceof TaskForgotten) {
    return unknownOutcome('outcome_unknown', `The server no longer knows the task of ${name}.`);
  }
  if (thrown instanceof TaskCancelled) {
    const why = thrown.message === '' ? '' : `: ${thrown.message.slice(0, 1_000)}`;
    return unknownOutcome('cancelled', `The server cancelled the task of ${name}${why}.`);
  }
  if (thrown instanceof TaskFailed) {
    const message = say`${name} failed: ${thrown.message.slice(0, 2_000)}`;
    return {
      content: [{ type: 'text', text: message.text }],
      isError: true,
      outcome: 'done',
      error: createErrorInfo({ code: 'tool_failed', message }),
    };
  }
  const result = explainFailedCall(failed);
  if (result.outcome !== 'not_sent') return result;
  // `not_sent` refers to the request about the task; the call itself was sent.
  const code: ErrorCode = result.error?.code ?? 'outcome_unknown';
  return unknownOutcome(code, `The status of ${name} could not be requested: ${result.error?.message ?? ''}`);
}

/** The server answered with a task without an id. */
export function namelessTask(tool: ToolReference): ToolResult {
  const name = formatToolReference(tool);
  return unknownOutcome(
    'outcome_unknown',
    `The server answered ${name} with a task without an id, which Toolyard cannot follow.`,
  );
}

/** A task that cannot be polled here. */
export function unreachableTask({ tool }: TaskHandle, why: string): ToolResult {
  return unknownOutcome('outcome_unknown', `The result of ${formatToolReference(tool)} cannot be requested: ${why}`);
}

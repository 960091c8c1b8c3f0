import type { ErrorInfo } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';

/** The error of an interrupt that no user can answer. */
export const NO_USER_ERROR: ErrorInfo = createErrorInfo({
  code: 'tool_refused',
  message: say`No user can be asked. Decide yourself what serves the user best, and state your assumptions in the answer.`,
});

/** The error of delegating tasks where there are no sub-agents. */
export const NO_SUB_AGENTS: ErrorInfo = createErrorInfo({
  code: 'tool_refused',
  message: say`This run cannot start sub-agents. Do the task yourself.`,
});

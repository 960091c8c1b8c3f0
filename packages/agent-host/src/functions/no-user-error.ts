import type { ErrorInfo } from '@toolyard/protocol';

/** The error of a question that no user can answer. */
export const NO_USER_ERROR: ErrorInfo = {
  code: 'tool_refused',
  message: 'No user can be asked. Decide yourself what serves the user best, and state your assumptions in the answer.',
};

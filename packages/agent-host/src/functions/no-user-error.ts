import type { ErrorInfo } from '@toolyard/protocol';

/** What a question gets where nobody can answer it. */
export const NO_USER_ERROR: ErrorInfo = {
  code: 'tool_refused',
  message:
    'Nobody is there to be asked. Decide by yourself what serves the person best, and tell in your answer what you assumed.',
};

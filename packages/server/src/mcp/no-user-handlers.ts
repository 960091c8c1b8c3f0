import type { QuestionHandlers } from '@toolyard/mcp-host';
import { ToolyardError } from '@toolyard/protocol';

/** Declares to servers what they may ask. Who answers comes with each call; outside of one nobody does. */
export const NO_USER_HANDLERS: QuestionHandlers = {
  form: () => Promise.resolve({ action: 'cancel' }),
  url: () => Promise.resolve('cancel'),
  sampling: () => Promise.reject(new ToolyardError({ code: 'refused', message: 'Nobody can be asked for that now.' })),
};

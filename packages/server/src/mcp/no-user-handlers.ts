import type { ServerRequestHandlers } from '@toolyard/mcp-host';
import { ToolyardError, say } from '@toolyard/protocol';

/**
 * Declares to servers which requests are supported. Each call provides its own handlers; outside of calls there is no
 * user to ask.
 */
export const NO_USER_HANDLERS: ServerRequestHandlers = {
  apps: true,
  form: () => Promise.resolve({ action: 'cancel' }),
  url: () => Promise.resolve('cancel'),
  sampling: () =>
    Promise.reject(new ToolyardError({ code: 'refused', message: say`No user is available to answer this request.` })),
};

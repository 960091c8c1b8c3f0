import type { ErrorInfo } from '@toolyard/protocol';
import type { ServerState } from './types.ts';

/** We have left this server ourselves. */
export function closedByUs(serverId: string): ErrorInfo {
  return { code: 'server_closed', message: `The server "${serverId}" is closed.` };
}

/** The server hung up and gave no reason. */
export function connectionClosed(serverId: string): ErrorInfo {
  return { code: 'server_closed', message: `The connection to the server "${serverId}" is closed.`, retryable: true };
}

/** The server no longer knows us. */
export function sessionEnded(serverId: string): ErrorInfo {
  return {
    code: 'server_closed',
    message: `The server "${serverId}" has ended the session; it was probably restarted.`,
    hint: 'Connect to it again.',
    retryable: true,
  };
}

/** Nothing can be asked of the server in this state. */
export function notReady(serverId: string, state: ServerState): ErrorInfo {
  const still = state === 'connecting' ? 'still connecting' : 'not connected';
  return {
    code: 'server_closed',
    message: `The server "${serverId}" is ${still}.`,
    ...(state === 'connecting' ? { retryable: true } : {}),
  };
}

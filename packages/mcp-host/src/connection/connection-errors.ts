import type { ErrorInfo } from '@toolyard/protocol';
import type { ServerState } from '../types.ts';

/** We closed the connection. */
export function closedByHost(serverId: string): ErrorInfo {
  return { code: 'server_closed', message: `The server "${serverId}" is closed.` };
}

/** The server closed the connection without a reason. */
export function connectionClosed(serverId: string): ErrorInfo {
  return { code: 'server_closed', message: `The connection to the server "${serverId}" is closed.`, retryable: true };
}

/** The server does not know our session. */
export function sessionEnded(serverId: string): ErrorInfo {
  return {
    code: 'server_closed',
    message: `The server "${serverId}" ended the session; it was probably restarted.`,
    hint: 'Reconnect to it.',
    retryable: true,
  };
}

/** The network connection is lost. `detail`: the network error. */
export function serverUnreachable(serverId: string, detail: string): ErrorInfo {
  return {
    code: 'server_unreachable',
    message: `The server "${serverId}" is no longer reachable (${detail}).`,
    hint: 'Check that the server runs.',
    retryable: true,
  };
}

/** The server rejected our credentials, or requires some. */
export function signInRequired(serverId: string): ErrorInfo {
  return {
    code: 'needs_sign_in',
    message: `The server "${serverId}" requires a sign-in (HTTP 401).`,
    hint: 'Sign in, or set a valid token in the headers of the server.',
  };
}

/** The server accepts no requests in this state. */
export function notReady(serverId: string, state: ServerState): ErrorInfo {
  const isComing = state === 'connecting' || state === 'reconnecting';
  const stateText = isComing ? `still ${state}` : state === 'disabled' ? 'turned off' : 'not connected';
  return {
    code: 'server_closed',
    message: `The server "${serverId}" is ${stateText}.`,
    ...(isComing ? { retryable: true } : {}),
  };
}

import type { ErrorInfo, AnyText, TranslatableText } from '@toolyard/protocol';
import { createErrorInfo, say } from '@toolyard/protocol';
import type { ServerState } from '../types.ts';

/** We closed the connection. */
export function closedByHost(serverId: string): ErrorInfo {
  return createErrorInfo({ code: 'server_closed', message: say`The server "${serverId}" is closed.` });
}

/** The server closed the connection without a reason. */
export function connectionClosed(serverId: string): ErrorInfo {
  return createErrorInfo({
    code: 'server_closed',
    message: say`The connection to the server "${serverId}" is closed.`,
    retryable: true,
  });
}

/** The server does not know our session. */
export function sessionEnded(serverId: string): ErrorInfo {
  return createErrorInfo({
    code: 'server_closed',
    message: say`The server "${serverId}" ended the session; it was probably restarted.`,
    hint: say`Reconnect to it.`,
    retryable: true,
  });
}

/** The network connection is lost. `detail`: the network error. */
export function serverUnreachable(serverId: string, detail: AnyText): ErrorInfo {
  return createErrorInfo({
    code: 'server_unreachable',
    message: say`The server "${serverId}" is no longer reachable (${detail}).`,
    hint: say`Check that the server runs.`,
    retryable: true,
  });
}

/** The server rejected our credentials, or requires some. */
export function signInRequired(serverId: string): ErrorInfo {
  return createErrorInfo({
    code: 'needs_sign_in',
    message: say`The server "${serverId}" requires a sign-in (HTTP 401).`,
    hint: say`Sign in, or set a valid token in the headers of the server.`,
  });
}

/** The server accepts no requests in this state. */
export function notReady(serverId: string, state: ServerState): ErrorInfo {
  const isComing = state === 'connecting' || state === 'reconnecting';
  return createErrorInfo({
    code: 'server_closed',
    message: notReadyText(serverId, state),
    ...(isComing ? { retryable: true } : {}),
  });
}

function notReadyText(serverId: string, state: ServerState): TranslatableText {
  switch (state) {
    case 'connecting':
      return say`The server "${serverId}" is still connecting.`;
    case 'reconnecting':
      return say`The server "${serverId}" is still reconnecting.`;
    case 'disabled':
      return say`The server "${serverId}" is turned off.`;
    default:
      return say`The server "${serverId}" is not connected.`;
  }
}

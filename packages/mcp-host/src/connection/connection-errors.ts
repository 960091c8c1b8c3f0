import type { ErrorInfo } from '@toolyard/protocol';
import type { ServerState } from '../types.ts';

/** We have left this server ourselves. */
export function closedByHost(serverId: string): ErrorInfo {
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

/** Nobody is there any more. `detail`: what the network says. */
export function serverUnreachable(serverId: string, detail: string): ErrorInfo {
  return {
    code: 'server_unreachable',
    message: `The server "${serverId}" cannot be reached any more (${detail}).`,
    hint: 'Check that it runs.',
    retryable: true,
  };
}

/** It does not believe who we are, or any more. */
export function signInRequired(serverId: string): ErrorInfo {
  return {
    code: 'needs_sign_in',
    message: `The server "${serverId}" asks for a sign-in (HTTP 401).`,
    hint: 'Sign in to it, or give it a valid token in the headers of its configuration.',
  };
}

/** Nothing can be asked of the server in this state. */
export function notReady(serverId: string, state: ServerState): ErrorInfo {
  const isComing = state === 'connecting' || state === 'reconnecting';
  const words = isComing ? `still ${state}` : state === 'disabled' ? 'switched off' : 'not connected';
  return {
    code: 'server_closed',
    message: `The server "${serverId}" is ${words}.`,
    ...(isComing ? { retryable: true } : {}),
  };
}

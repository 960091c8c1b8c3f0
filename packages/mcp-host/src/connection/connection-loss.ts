import { SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import type { ErrorInfo } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { serverUnreachable, sessionEnded, signInRequired } from './connection-errors.ts';
import { networkCodeOf } from '../transports/network-error.ts';
import { authFailureIn } from '../oauth/auth-failure.ts';

/** How an open connection was lost. */
export type ConnectionLoss = 'lost' | 'session_lost' | 'sign_in';

/** What a failed request says about the connection as a whole; null if the connection may still be open. */
export function connectionLoss(
  thrown: unknown,
  id: string,
  hasSession: boolean,
): { by: ConnectionLoss; error: ErrorInfo } | null {
  if (wantsSignIn(thrown)) return { by: 'sign_in', error: signInRequired(id) };
  if (hasSession && saysSessionIsOver(thrown)) return { by: 'session_lost', error: sessionEnded(id) };
  // Our own rejections, or an unreachable authorization server, say nothing about the connection.
  if (ToolyardError.isInstance(thrown) || authFailureIn(thrown) !== undefined) return null;
  const network = networkCodeOf(thrown);
  return network?.neverConnected === true ? { by: 'lost', error: serverUnreachable(id, network.code) } : null;
}

function wantsSignIn(thrown: unknown): boolean {
  const failure = authFailureIn(thrown);
  if (failure?.code === 'needs_sign_in') return !failure.concernsOne;
  return thrown instanceof UnauthorizedError || statusOf(thrown) === 401;
}

/** A restarted legacy server has forgotten the session: 404 by the specification, 400 on many servers in use. */
function saysSessionIsOver(thrown: unknown): boolean {
  if (!(thrown instanceof SdkHttpError)) return false;
  return statusOf(thrown) === 404 || (statusOf(thrown) === 400 && /session|not initialized/i.test(thrown.message));
}

function statusOf(thrown: unknown): number | undefined {
  return thrown instanceof SdkHttpError ? thrown.data.status : undefined;
}

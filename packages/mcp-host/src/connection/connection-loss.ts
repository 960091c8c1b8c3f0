import { ProtocolError, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import type { ErrorInfo } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { serverUnreachable, sessionEnded, signInRequired } from './connection-errors.ts';
import { findNetworkCode } from '../transports/network-error.ts';
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
  const network = findNetworkCode(thrown);
  return network?.neverConnected === true ? { by: 'lost', error: serverUnreachable(id, network.code) } : null;
}

function wantsSignIn(thrown: unknown): boolean {
  const failure = authFailureIn(thrown);
  if (failure?.code === 'needs_sign_in') return !failure.concernsOne;
  return thrown instanceof UnauthorizedError || findStatus(thrown) === 401;
}

const OVER =
  /\bsession\b.{0,40}\b(?:not found|(?:has )?expired|invalid|terminated|closed|unknown|not exist|missing|not valid)|\b(?:invalid|unknown|expired|no valid|missing|no such)\b.{0,20}\bsession\b/is;

/**
 * A restarted legacy server has forgotten the session: 404 by the specification, 410 or 400 on many servers in use; any
 * other rejection only if its text says so.
 */
function saysSessionIsOver(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return OVER.test(thrown.message);
  const status = findStatus(thrown);
  if (!(thrown instanceof SdkHttpError) || status === undefined || status === 429) return false;
  if (status === 404 || status === 410) return true;
  return (status === 400 && /session|not initialized/i.test(thrown.message)) || OVER.test(thrown.message);
}

function findStatus(thrown: unknown): number | undefined {
  return thrown instanceof SdkHttpError ? thrown.data.status : undefined;
}

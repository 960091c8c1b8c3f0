import { ProtocolError, SdkError, SdkErrorCode, SdkHttpError, UnauthorizedError } from '@modelcontextprotocol/client';
import type {
  ErrorCode,
  ErrorInfo,
  ToolOutcome,
  ToolReference,
  ToolResult,
  AnyText,
  ErrorInit,
} from '@toolyard/protocol';
import { formatToolReference, ToolyardError, say, createErrorInfo, withTemplate } from '@toolyard/protocol';
import { connectionClosed, signInRequired } from '../connection/connection-errors.ts';
import { authFailureIn } from '../oauth/auth-failure.ts';
import { findNetworkCode } from '../transports/network-error.ts';
import { STREAM_ENDED } from '../transports/raw-result-transport.ts';

const NOT_SENT = 'The call did not reach the tool; nothing happened.';
const UNKNOWN =
  'The outcome is unknown: the call may have been executed. Do not repeat it; check its effect first, or ask the user.';

/** The result of a call that certainly never reached the tool. */
export function notSent(error: ErrorInit): ToolResult {
  return failure('not_sent', error, NOT_SENT);
}

/** The result of a call whose outcome is unknown. */
export function unknownOutcome(code: ErrorCode, message: AnyText): ToolResult {
  return failure('unknown', { code, message }, UNKNOWN);
}

function failure(outcome: ToolOutcome, error: ErrorInit, consequence: string): ToolResult {
  const info = createErrorInfo(error);
  const text = consequence === '' ? info.message : `${info.message} ${consequence}`;
  return { content: [{ type: 'text', text }], isError: true, outcome, error: info };
}

/** What is known of a call that failed without a result. */
export type FailedCall = {
  tool: ToolReference;
  thrown: unknown;
  /** What stopped the request on our side, or null. */
  stopped: 'caller' | 'closing' | 'time-out' | null;
  timeoutMs: number;
  /** Why the connection was lost, if it was. */
  lost?: ErrorInfo | undefined;
};

/**
 * Turns a failure into a result that says whether the call was executed. `not_sent` is used only where the
 * call was certainly not executed; otherwise the outcome is unknown.
 */
export function explainFailedCall(call: FailedCall): ToolResult {
  const name = formatToolReference(call.tool);
  const unknown = unknownOutcome;

  if (call.stopped === 'caller') return unknown('cancelled', say`${name} was cancelled while it ran.`);
  if (call.stopped === 'closing') {
    const { lost } = call;
    return lost === undefined
      ? unknown('server_closed', say`The connection was closed while ${name} ran.`)
      : unknown(lost.code, withTemplate(lost.message, lost.templates?.['message']));
  }
  if (call.stopped === 'time-out') {
    return unknown('timed_out', say`${name} timed out: no response or progress within ${seconds(call.timeoutMs)}.`);
  }
  const { thrown } = call;
  const unauthorized = authFailureIn(thrown);
  if (unauthorized !== undefined) return notSent(unauthorized.toJSON());
  if (ToolyardError.isInstance(thrown)) return failure('done', thrown.toJSON(), '');
  if (thrown instanceof ProtocolError) return explainProtocolError(name, thrown);
  if (thrown instanceof UnauthorizedError) return notSent(signInRequired(call.tool.serverId));
  if (thrown instanceof SdkHttpError) return explainHttpStatus(call.tool, thrown.data.status);
  if (thrown instanceof SdkError) {
    switch (thrown.code) {
      case SdkErrorCode.RequestTimeout:
        return unknown('timed_out', say`${name} timed out: no response or progress within ${seconds(call.timeoutMs)}.`);
      case SdkErrorCode.NotConnected:
        return notSent(call.lost ?? connectionClosed(call.tool.serverId));
      case SdkErrorCode.ConnectionClosed:
        return unknown(
          call.lost?.code ?? 'server_closed',
          call.lost?.message ?? connectionClosed(call.tool.serverId).message,
        );
      case SdkErrorCode.UnsupportedResultType:
        return explainResultType(name);
      default:
        return unknown('bad_response', say`The response to ${name} could not be read.`);
    }
  }
  const network = findNetworkCode(thrown);
  if (network?.neverConnected === true) {
    return notSent({
      code: 'server_unreachable',
      message: say`The server "${call.tool.serverId}" cannot be reached (${network.code}).`,
      hint: say`Check that the server runs and that its URL is correct.`,
      retryable: true,
    });
  }
  if (call.lost !== undefined) return unknown(call.lost.code, call.lost.message);
  if (network !== undefined) return unknown('network', say`The connection broke while ${name} ran (${network.code}).`);
  return unknown('bad_response', say`The response to ${name} could not be read.`);
}

function explainProtocolError(name: string, error: ProtocolError): ToolResult {
  if (error.data === STREAM_ENDED) {
    return failure('unknown', { code: 'network', message: say`The response to ${name} was cut off.` }, UNKNOWN);
  }
  const serverMessage = error.message.slice(0, 2_000);
  switch (error.code) {
    case -32_602:
      return notSent({
        code: 'invalid_arguments',
        message: say`The server rejected the arguments of ${name}: ${serverMessage}`,
      });
    case -32_601:
      return notSent({ code: 'tool_not_found', message: say`The server cannot execute ${name}: ${serverMessage}` });
    // Parse error, invalid request, header mismatch, missing capability, unsupported version, sign-in by URL.
    case -32_700:
    case -32_600:
    case -32_020:
    case -32_021:
    case -32_022:
    case -32_042:
      return notSent({
        code: 'server_refused',
        message: say`The server rejected the call of ${name}: ${serverMessage}`,
      });
    // Gateways and servers in use answer this when their own timeout expires.
    case -32_001:
      return failure(
        'unknown',
        { code: 'timed_out', message: say`The server aborted ${name}: ${serverMessage}` },
        UNKNOWN,
      );
    default:
      return failure('done', { code: 'tool_failed', message: say`${name} failed: ${serverMessage}` }, '');
  }
}

function explainHttpStatus(tool: ToolReference, status: number): ToolResult {
  const name = formatToolReference(tool);
  if (status === 401) return notSent(signInRequired(tool.serverId));
  if (status === 429) {
    const message = say`The server "${tool.serverId}" limits the rate of calls (HTTP 429).`;
    return notSent({ code: 'rate_limited', message, retryable: true });
  }
  const inDoubt = status === 404 || status === 408 || status === 409 || status === 410 || status >= 500;
  if (inDoubt) {
    const message = say`The server answered the call of ${name} with HTTP ${status}.`;
    return failure('unknown', { code: 'outcome_unknown', message }, UNKNOWN);
  }
  return notSent({
    code: 'server_refused',
    message: say`The server rejected the call of ${name} (HTTP ${status}).`,
  });
}

function explainResultType(name: string): ToolResult {
  const message = say`${name} returned a result type that Toolyard does not know.`;
  return failure('unknown', { code: 'outcome_unknown', message }, UNKNOWN);
}

/** Formats a duration for a message. */
export function seconds(ms: number): string {
  return ms >= 1_000 ? `${Math.round(ms / 100) / 10} s` : `${ms} ms`;
}

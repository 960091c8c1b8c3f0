import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { ErrorCode, ErrorInfo, McpIsolation, AnyText, TranslatableText } from '@toolyard/protocol';
import { createErrorInfo, ToolyardError, say, withTemplate } from '@toolyard/protocol';
import { seconds } from '../calls/call-failure.ts';
import { signInRequired } from './connection-errors.ts';
import { findLauncher } from './launcher.ts';
import { bodyText, reasonIn } from './version-choice.ts';
import { likelyCause } from './likely-cause.ts';
import { explainLimit } from '../host/resource-limits.ts';
import { getTitle } from '../hosted/hosted-config.ts';
import { findNetworkCode } from '../transports/network-error.ts';
import type { TransportEnd } from '../transports/transport.ts';
import type { ConnectionPhase, ServerConfig } from '../types.ts';
import { readUrl } from '../values/read-url.ts';

/** What is known of a failed connection attempt. */
export type FailedConnect = {
  config: ServerConfig;
  phase: ConnectionPhase;
  thrown: unknown;
  /** True if the connect timeout expired. */
  timedOut: boolean;
  timeoutMs: number;
  end: TransportEnd | undefined;
  noiseLines: number;
  /** The last lines of standard error of a stdio server. */
  stderr: readonly string[];
  /** How a stdio server was started. */
  isolation?: McpIsolation | undefined;
};

/** Turns a failed attempt into an error that names the server, the phase and the remedy. */
export function explainFailedConnect(failed: FailedConnect): ErrorInfo {
  const error = explain(failed);
  const { isolation } = failed;
  if (isolation?.kind !== 'sandboxed') return error;
  const { proposed } = isolation;
  // A program that is not given its own script or folder: what it printed about that is in the log, and says less.
  if (proposed.length > 0 && failed.end?.kind === 'exited') {
    const message = say`The sandbox hides ${proposed.slice(0, 3).join(', ')} from the server "${failed.config.id}".`;
    return createErrorInfo({
      ...error,
      message,
      hint: say`Allow it in the settings of the server, or in mcp.json with "sandbox": ${'{ "read": [...] }'} or "write".`,
    });
  }
  const paths = isolation.blocked.filter(({ kind }) => kind === 'path').map(({ target }) => target);
  const hidden = [...new Set([...isolation.proposed, ...paths])];
  if (hidden.length === 0) return error;
  return createErrorInfo({
    ...error,
    hint: say`The sandbox hides ${hidden.slice(0, 3).join(', ')}. Allow it in the settings of the server, or in mcp.json with "sandbox": ${'{ "read": [...] }'} or "write".`,
  });
}

function explain(failed: FailedConnect): ErrorInfo {
  const { config, thrown, end } = failed;
  const own = ownErrorIn(thrown);
  if (own !== undefined) return own.toJSON();
  if (end?.kind === 'unreachable') return unreachableServer(config, end.detail);
  if (end !== undefined) return explainEnd(config.id, failed.phase, end);
  if (failed.timedOut) return explainTimeout(failed);
  if (thrown instanceof UnauthorizedError) return signInRequired(config.id);
  const status = findStatus(thrown);
  if (status !== undefined) return withReason(explainStatus(config, failed.phase, status), thrown);
  const network = findNetworkCode(thrown);
  if (network !== undefined) {
    return unreachableServer(config, network.code);
  }
  if (thrown instanceof ProtocolError) {
    const reason = thrown.message.slice(0, 1_000);
    const error = rejected(
      say`The server "${config.id}" answered with an error: ${reason} (${thrown.code}) while ${doing(failed.phase)}.`,
    );
    return isOfServer(thrown.code) ? { ...error, retryable: true } : error;
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) return explainTimeout(failed);
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed) {
    return createErrorInfo({
      code: 'server_closed',
      message: say`The server "${config.id}" closed the connection while ${doing(failed.phase)}.`,
      retryable: true,
    });
  }
  const version = /protocol version is not supported: (.*)/.exec(thrown instanceof Error ? thrown.message : '')?.[1];
  return version === undefined ? notMcp(config, failed.phase) : otherVersion(config, version);
}

function otherVersion({ id }: ServerConfig, version: string): ErrorInfo {
  return createErrorInfo({
    code: 'server_refused',
    message: say`The server "${id}" uses protocol version ${version.slice(0, 40)}, which Toolyard does not support.`,
    hint: say`Update Toolyard, or use a version of the server that supports an older protocol version.`,
  });
}

/** The error for an open connection that was lost. */
export function explainEnd(serverId: string, phase: ConnectionPhase, end: TransportEnd): ErrorInfo {
  switch (end.kind) {
    case 'not_started':
      return explainNoStart(serverId, end);
    case 'exited': {
      return createErrorInfo({
        code: 'server_exited',
        message: exitText(serverId, doing(phase), end),
        hint:
          likelyCause(end.stderr) ??
          say`Run its command in a terminal to see what is missing: arguments, environment variables, packages.`,
        retryable: true,
      });
    }
    case 'line_too_long':
      return createErrorInfo({
        code: 'bad_response',
        message: say`The server "${serverId}" sent a line longer than ${Math.round(end.limitBytes / 1_048_576)} MB while ${doing(phase)} and was stopped.`,
        hint: say`It is not an MCP server, or one of its results is too large.`,
      });
    case 'over_limit':
      return createErrorInfo({
        code: 'server_exited',
        message: say`The server "${serverId}" was stopped while ${doing(phase)}: it ${explainLimit(end)}.`,
        hint: say`If it needs more, raise "sandbox.limits.${end.limit}" of its entry in mcp.json.`,
        retryable: true,
      });
    case 'unreachable':
    case 'hung_up': {
      return createErrorInfo({
        code: 'server_closed',
        message:
          end.detail === undefined
            ? say`The server "${serverId}" closed the connection while ${doing(phase)}.`
            : say`The server "${serverId}" closed the connection while ${doing(phase)} (${end.detail}).`,
        retryable: true,
      });
    }
  }
}

function exitText(
  id: string,
  phase: TranslatableText,
  { code, signal, stderr }: Extract<TransportEnd, { kind: 'exited' }>,
): TranslatableText {
  if (signal !== null) {
    return stderr.length === 0
      ? say`The server "${id}" was killed by ${signal} while ${phase}. It wrote nothing to standard error.`
      : say`The server "${id}" was killed by ${signal} while ${phase}. Its last lines on standard error:${printed(stderr)}`;
  }
  return stderr.length === 0
    ? say`The server "${id}" exited with code ${code ?? 'unknown'} while ${phase}. It wrote nothing to standard error.`
    : say`The server "${id}" exited with code ${code ?? 'unknown'} while ${phase}. Its last lines on standard error:${printed(stderr)}`;
}

function unreachableServer(config: ServerConfig, detail: AnyText): ErrorInfo {
  return createErrorInfo({
    code: 'server_unreachable',
    message: say`The server "${config.id}" cannot be reached at ${getAddress(config)} (${detail}).`,
    hint: say`Check that the server runs and that host and port are correct.`,
    retryable: true,
  });
}

function explainNoStart(serverId: string, end: Extract<TransportEnd, { kind: 'not_started' }>): ErrorInfo {
  switch (end.reason) {
    case 'command_not_found':
      return createErrorInfo({
        code: 'command_not_found',
        message: say`The server "${serverId}" cannot be started: the command "${end.command}" was not found.`,
        hint: say`Install it, or use its absolute path. Applications started from a desktop often have a shorter PATH than a terminal.`,
      });
    case 'not_executable':
      return createErrorInfo({
        code: 'command_not_found',
        message: say`The server "${serverId}" cannot be started: "${end.command}" is not executable.`,
        hint: say`Make the file executable, or use the interpreter as the command and the file as its argument.`,
      });
    case 'no_such_folder':
      return createErrorInfo({
        code: 'bad_config',
        message: say`The server "${serverId}" cannot be started: its working folder "${end.cwd ?? ''}" does not exist.`,
        hint: say`Correct "cwd" of the server.`,
      });
    case 'other':
      return createErrorInfo({
        code: 'server_exited',
        message: say`The server "${serverId}" cannot be started (${end.detail}).`,
        hint: say`Run its command in a terminal to see the cause.`,
      });
  }
}

function explainTimeout({ config, phase, timeoutMs, noiseLines, stderr }: FailedConnect): ErrorInfo {
  const launcher = findLauncher(config.transport);
  const fallback =
    noiseLines > 0
      ? say`It printed ${noiseLines} line(s) that are not MCP messages: check that the command starts an MCP server.`
      : launcher === undefined
        ? say`The server may still be starting: set a longer connect timeout.`
        : say`${launcher} may still be downloading: set a longer connect timeout, or run the command once in a terminal.`;
  return createErrorInfo({
    code: 'timed_out',
    message:
      stderr.length === 0
        ? say`The server "${config.id}" was not ready within ${seconds(timeoutMs)}; it stopped responding while ${doing(phase)}.`
        : say`The server "${config.id}" was not ready within ${seconds(timeoutMs)}; it stopped responding while ${doing(phase)}. Its last lines on standard error:${printed(stderr)}`,
    hint: likelyCause(stderr) ?? fallback,
    retryable: true,
  });
}

function printed(stderr: readonly string[]): string {
  return `\n${stderr.join('\n')}`;
}

/** Adds what the server says about its rejection, in its own words. */
function withReason(error: ErrorInfo, thrown: unknown): ErrorInfo {
  const reason = reasonIn(findBody(thrown));
  return reason === undefined
    ? error
    : createErrorInfo({
        ...error,
        message: say`${withTemplate(error.message, error.templates?.['message'])} The server says: "${reason}"`,
      });
}

/** The body of a rejected HTTP request. */
function findBody(thrown: unknown): string | undefined {
  if (thrown instanceof SdkHttpError) return bodyText(thrown);
  return thrown instanceof Error && thrown.cause !== undefined ? findBody(thrown.cause) : undefined;
}

function explainStatus(config: ServerConfig, phase: ConnectionPhase, status: number): ErrorInfo {
  if (status === 401) return signInRequired(config.id);
  if (status === 403) {
    return createErrorInfo({
      ...rejected(say`The server "${config.id}" denied access (HTTP 403) while ${doing(phase)}.`),
      hint: say`Check the token, and whether the server allows this client.`,
    });
  }
  if (status === 502 || status === 503 || status === 504) {
    return createErrorInfo({
      code: 'server_unreachable',
      message: say`The server "${config.id}" is unavailable (HTTP ${status}).`,
      hint: say`The answer comes from a proxy or gateway; check that the server itself runs.`,
      retryable: true,
    });
  }
  if (status >= 500) {
    return createErrorInfo({
      ...rejected(say`The server "${config.id}" failed (HTTP ${status}) while ${doing(phase)}.`),
      hint: say`See the log of the server.`,
      retryable: true,
    });
  }
  if (status >= 300 && status < 400) {
    return createErrorInfo({
      ...rejected(
        say`The server "${config.id}" redirected to another URL (HTTP ${status}), which Toolyard does not follow while ${doing(phase)}.`,
      ),
      hint: say`If the new URL is correct, use it in the configuration.`,
    });
  }
  if (status === 404 || status === 405) return notMcp(config, phase, `HTTP ${status}`);
  if (status === 408 || status === 425 || status === 429) {
    return {
      ...rejected(
        say`The server "${config.id}" accepts no requests at the moment (HTTP ${status}) while ${doing(phase)}.`,
      ),
      retryable: true,
    };
  }
  return rejected(say`The server "${config.id}" rejected the request (HTTP ${status}) while ${doing(phase)}.`);
}

function notMcp(
  config: ServerConfig,
  phase: ConnectionPhase,
  detail: AnyText = say`the response is not an MCP message`,
): ErrorInfo {
  return createErrorInfo({
    code: 'server_refused',
    message: say`"${config.id}" at ${getAddress(config)} is not an MCP server: ${detail} while ${doing(phase)}.`,
    hint:
      config.transport.type === 'stdio'
        ? say`Check that the command starts an MCP server that uses standard input and output.`
        : say`Check the path of the URL: it often ends in /mcp, or in /sse for older servers.`,
  });
}

/**
 * The rule: **an error of the server itself may be temporary, one of the request is not.** JSON-RPC: an internal error, and
 * the range for servers; over HTTP the statuses from 500.
 */
function isOfServer(code: number): boolean {
  return code === -32_603 || (code >= -32_099 && code <= -32_000);
}

function rejected(message: TranslatableText): ErrorInfo {
  return createErrorInfo({
    code: 'server_refused' satisfies ErrorCode,
    message,
    hint: say`Check the configuration of the server against its documentation.`,
  });
}

/** The {@link ToolyardError} of a guard or transport, which the SDK may have wrapped. */
function ownErrorIn(thrown: unknown, depth = 0): ToolyardError | undefined {
  if (ToolyardError.isInstance(thrown)) return thrown;
  return thrown instanceof Error && depth < 5 ? ownErrorIn(thrown.cause, depth + 1) : undefined;
}

/** The HTTP status of an error, which the SDK may have wrapped. */
export function findStatus(thrown: unknown): number | undefined {
  if (thrown instanceof SdkHttpError) return thrown.data.status;
  if (thrown instanceof SseError && thrown.code !== undefined) return thrown.code;
  return thrown instanceof Error && thrown.cause !== undefined ? findStatus(thrown.cause) : undefined;
}

/** Omits user information and query, which may contain secrets. */
function getAddress(config: ServerConfig): string {
  if (config.transport.type === 'stdio') return config.transport.command;
  if (config.transport.type === 'in-memory') return config.transport.name;
  if (config.transport.type === 'hosted') return `${getTitle(config.transport)} (${config.transport.server})`;
  const url = readUrl(config.transport.url);
  return url === null ? 'its URL' : `${url.origin}${url.pathname}`;
}

function doing(phase: ConnectionPhase): TranslatableText {
  switch (phase) {
    case 'transport_creating':
    case 'transport_ready':
      return say`starting`;
    case 'initializing':
      return say`initializing`;
    case 'capabilities_exchanged':
    case 'listing':
      return say`listing its tools`;
    case 'connected':
      return say`connected`;
    case 'error':
    case 'disconnected':
      return say`disconnecting`;
  }
}

import {
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SseError,
  UnauthorizedError,
} from '@modelcontextprotocol/client';
import type { ErrorCode, ErrorInfo, McpIsolation } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { seconds } from '../calls/call-failure.ts';
import { signInRequired } from './connection-errors.ts';
import { launcherOf } from './launcher.ts';
import { bodyText, reasonIn } from './version-choice.ts';
import { likelyCause } from './likely-cause.ts';
import { explainLimit } from '../host/resource-limits.ts';
import { titleOf } from '../hosted/hosted-config.ts';
import { networkCodeOf } from '../transports/network-error.ts';
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
  const allow = 'Allow it in the settings of the server, or in mcp.json with "sandbox": { "read": [...] } or "write".';
  const { proposed } = isolation;
  // A program that is not given its own script or folder: what it printed about that is in the log, and says less.
  if (proposed.length > 0 && failed.end?.kind === 'exited') {
    const message = `The sandbox hides ${proposed.slice(0, 3).join(', ')} from the server "${failed.config.id}".`;
    return { ...error, message, hint: allow };
  }
  const paths = isolation.blocked.filter(({ kind }) => kind === 'path').map(({ target }) => target);
  const hidden = [...new Set([...isolation.proposed, ...paths])];
  if (hidden.length === 0) return error;
  return { ...error, hint: `The sandbox hides ${hidden.slice(0, 3).join(', ')}. ${allow}` };
}

function explain(failed: FailedConnect): ErrorInfo {
  const { config, thrown, end } = failed;
  const own = ownErrorIn(thrown);
  if (own !== undefined) return own.toJSON();
  if (end?.kind === 'unreachable') return unreachableServer(config, end.detail);
  if (end !== undefined) return explainEnd(config.id, failed.phase, end);
  if (failed.timedOut) return explainTimeout(failed);
  if (thrown instanceof UnauthorizedError) return signInRequired(config.id);
  const status = statusOf(thrown);
  if (status !== undefined) return withReason(explainStatus(config, failed.phase, status), thrown);
  const network = networkCodeOf(thrown);
  if (network !== undefined) {
    return unreachableServer(config, network.code);
  }
  if (thrown instanceof ProtocolError) {
    const what = `answered with an error: ${thrown.message.slice(0, 1_000)} (${thrown.code})`;
    const error = rejected(config.id, failed.phase, what);
    return isOfServer(thrown.code) ? { ...error, retryable: true } : error;
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) return explainTimeout(failed);
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed) {
    return {
      code: 'server_closed',
      message: `The server "${config.id}" closed the connection while ${doing(failed.phase)}.`,
      retryable: true,
    };
  }
  const version = /protocol version is not supported: (.*)/.exec(thrown instanceof Error ? thrown.message : '')?.[1];
  return version === undefined ? notMcp(config, failed.phase) : otherVersion(config, version);
}

function otherVersion({ id }: ServerConfig, version: string): ErrorInfo {
  return {
    code: 'server_refused',
    message: `The server "${id}" uses protocol version ${version.slice(0, 40)}, which Toolyard does not support.`,
    hint: 'Update Toolyard, or use a version of the server that supports an older protocol version.',
  };
}

/** The error for an open connection that was lost. */
export function explainEnd(serverId: string, phase: ConnectionPhase, end: TransportEnd): ErrorInfo {
  switch (end.kind) {
    case 'not_started':
      return explainNoStart(serverId, end);
    case 'exited': {
      const what = end.signal === null ? `exited with code ${end.code ?? 'unknown'}` : `was killed by ${end.signal}`;
      const output = end.stderr.length === 0 ? ' It wrote nothing to standard error.' : printed(end.stderr);
      return {
        code: 'server_exited',
        message: `The server "${serverId}" ${what} while ${doing(phase)}.${output}`,
        hint:
          likelyCause(end.stderr) ??
          'Run its command in a terminal to see what is missing: arguments, environment variables, packages.',
        retryable: true,
      };
    }
    case 'line_too_long':
      return {
        code: 'bad_response',
        message: `The server "${serverId}" sent a line longer than ${Math.round(end.limitBytes / 1_048_576)} MB while ${doing(phase)} and was stopped.`,
        hint: 'It is not an MCP server, or one of its results is too large.',
      };
    case 'over_limit':
      return {
        code: 'server_exited',
        message: `The server "${serverId}" was stopped while ${doing(phase)}: it ${explainLimit(end)}.`,
        hint: `If it needs more, raise "sandbox.limits.${end.limit}" of its entry in mcp.json.`,
        retryable: true,
      };
    case 'unreachable':
    case 'hung_up': {
      const detail = end.detail === undefined ? '' : ` (${end.detail})`;
      return {
        code: 'server_closed',
        message: `The server "${serverId}" closed the connection while ${doing(phase)}${detail}.`,
        retryable: true,
      };
    }
  }
}

function unreachableServer(config: ServerConfig, detail: string): ErrorInfo {
  return {
    code: 'server_unreachable',
    message: `The server "${config.id}" cannot be reached at ${addressOf(config)} (${detail}).`,
    hint: 'Check that the server runs and that host and port are correct.',
    retryable: true,
  };
}

function explainNoStart(serverId: string, end: Extract<TransportEnd, { kind: 'not_started' }>): ErrorInfo {
  switch (end.reason) {
    case 'command_not_found':
      return {
        code: 'command_not_found',
        message: `The server "${serverId}" cannot be started: the command "${end.command}" was not found.`,
        hint: 'Install it, or use its absolute path. Applications started from a desktop often have a shorter PATH than a terminal.',
      };
    case 'not_executable':
      return {
        code: 'command_not_found',
        message: `The server "${serverId}" cannot be started: "${end.command}" is not executable.`,
        hint: 'Make the file executable, or use the interpreter as the command and the file as its argument.',
      };
    case 'no_such_folder':
      return {
        code: 'bad_config',
        message: `The server "${serverId}" cannot be started: its working folder "${end.cwd ?? ''}" does not exist.`,
        hint: 'Correct "cwd" of the server.',
      };
    case 'other':
      return {
        code: 'server_exited',
        message: `The server "${serverId}" cannot be started (${end.detail}).`,
        hint: 'Run its command in a terminal to see the cause.',
      };
  }
}

function explainTimeout({ config, phase, timeoutMs, noiseLines, stderr }: FailedConnect): ErrorInfo {
  const launcher = launcherOf(config.transport);
  const fallback =
    noiseLines > 0
      ? `It printed ${noiseLines} line(s) that are not MCP messages: check that the command starts an MCP server.`
      : launcher === undefined
        ? 'The server may still be starting: set a longer connect timeout.'
        : `${launcher} may still be downloading: set a longer connect timeout, or run the command once in a terminal.`;
  return {
    code: 'timed_out',
    message: `The server "${config.id}" was not ready within ${seconds(timeoutMs)}; it stopped responding while ${doing(phase)}.${stderr.length === 0 ? '' : printed(stderr)}`,
    hint: likelyCause(stderr) ?? fallback,
    retryable: true,
  };
}

function printed(stderr: readonly string[]): string {
  return ` Its last lines on standard error:\n${stderr.join('\n')}`;
}

/** Adds what the server says about its rejection, in its own words. */
function withReason(error: ErrorInfo, thrown: unknown): ErrorInfo {
  const reason = reasonIn(bodyOf(thrown));
  return reason === undefined ? error : { ...error, message: `${error.message} The server says: "${reason}"` };
}

/** The body of a rejected HTTP request. */
function bodyOf(thrown: unknown): string | undefined {
  if (thrown instanceof SdkHttpError) return bodyText(thrown);
  return thrown instanceof Error && thrown.cause !== undefined ? bodyOf(thrown.cause) : undefined;
}

function explainStatus(config: ServerConfig, phase: ConnectionPhase, status: number): ErrorInfo {
  if (status === 401) return signInRequired(config.id);
  if (status === 403) {
    return {
      ...rejected(config.id, phase, 'denied access (HTTP 403)'),
      hint: 'Check the token, and whether the server allows this client.',
    };
  }
  if (status === 502 || status === 503 || status === 504) {
    return {
      code: 'server_unreachable',
      message: `The server "${config.id}" is unavailable (HTTP ${status}).`,
      hint: 'The answer comes from a proxy or gateway; check that the server itself runs.',
      retryable: true,
    };
  }
  if (status >= 500) {
    return {
      ...rejected(config.id, phase, `failed (HTTP ${status})`),
      hint: 'See the log of the server.',
      retryable: true,
    };
  }
  if (status >= 300 && status < 400) {
    return {
      ...rejected(config.id, phase, `redirected to another URL (HTTP ${status}), which Toolyard does not follow`),
      hint: 'If the new URL is correct, use it in the configuration.',
    };
  }
  if (status === 404 || status === 405) return notMcp(config, phase, `HTTP ${status}`);
  if (status === 408 || status === 425 || status === 429) {
    return { ...rejected(config.id, phase, `accepts no requests at the moment (HTTP ${status})`), retryable: true };
  }
  return rejected(config.id, phase, `rejected the request (HTTP ${status})`);
}

function notMcp(
  config: ServerConfig,
  phase: ConnectionPhase,
  detail = 'the response is not an MCP message',
): ErrorInfo {
  return {
    code: 'server_refused',
    message: `"${config.id}" at ${addressOf(config)} is not an MCP server: ${detail} while ${doing(phase)}.`,
    hint:
      config.transport.type === 'stdio'
        ? 'Check that the command starts an MCP server that uses standard input and output.'
        : 'Check the path of the URL: it often ends in /mcp, or in /sse for older servers.',
  };
}

/**
 * The rule: **an error of the server itself may be temporary, one of the request is not.** JSON-RPC: an internal error, and
 * the range for servers; over HTTP the statuses from 500.
 */
function isOfServer(code: number): boolean {
  return code === -32_603 || (code >= -32_099 && code <= -32_000);
}

function rejected(serverId: string, phase: ConnectionPhase, what: string): ErrorInfo {
  return {
    code: 'server_refused' satisfies ErrorCode,
    message: `The server "${serverId}" ${what} while ${doing(phase)}.`,
    hint: 'Check the configuration of the server against its documentation.',
  };
}

/** The {@link ToolyardError} of a guard or transport, which the SDK may have wrapped. */
function ownErrorIn(thrown: unknown, depth = 0): ToolyardError | undefined {
  if (ToolyardError.isInstance(thrown)) return thrown;
  return thrown instanceof Error && depth < 5 ? ownErrorIn(thrown.cause, depth + 1) : undefined;
}

/** The HTTP status of an error, which the SDK may have wrapped. */
export function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof SdkHttpError) return thrown.data.status;
  if (thrown instanceof SseError && thrown.code !== undefined) return thrown.code;
  return thrown instanceof Error && thrown.cause !== undefined ? statusOf(thrown.cause) : undefined;
}

/** Omits user information and query, which may contain secrets. */
function addressOf(config: ServerConfig): string {
  if (config.transport.type === 'stdio') return config.transport.command;
  if (config.transport.type === 'in-memory') return config.transport.name;
  if (config.transport.type === 'hosted') return `${titleOf(config.transport)} (${config.transport.server})`;
  const url = readUrl(config.transport.url);
  return url === null ? 'its URL' : `${url.origin}${url.pathname}`;
}

function doing(phase: ConnectionPhase): string {
  switch (phase) {
    case 'transport_creating':
    case 'transport_ready':
      return 'starting';
    case 'initializing':
      return 'initializing';
    case 'capabilities_exchanged':
    case 'listing':
      return 'listing its tools';
    case 'connected':
      return 'connected';
    case 'error':
    case 'disconnected':
      return 'disconnecting';
  }
}

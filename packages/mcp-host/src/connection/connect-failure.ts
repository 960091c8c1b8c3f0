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
import { likelyCause } from './likely-cause.ts';
import { titleOf } from '../hosted/hosted-config.ts';
import { networkCodeOf } from '../transports/network-error.ts';
import type { TransportEnd } from '../transports/transport.ts';
import type { ConnectionPhase, ServerConfig } from '../types.ts';
import { readUrl } from '../values/read-url.ts';

/** What is known of a connection that did not come about. */
export type FailedConnect = {
  config: ServerConfig;
  phase: ConnectionPhase;
  thrown: unknown;
  /** True if the whole time allowed for connecting ran out. */
  outOfTime: boolean;
  timeoutMs: number;
  end: TransportEnd | undefined;
  noiseLines: number;
  /** The last lines of standard error of a child process. */
  stderr: readonly string[];
  /** Of a child process that was started. */
  isolation?: McpIsolation | undefined;
};

/** Says in plain words which server failed, where, and what the person can do. */
export function explainFailedConnect(failed: FailedConnect): ErrorInfo {
  const error = explain(failed);
  const { isolation } = failed;
  if (isolation?.kind !== 'sandboxed') return error;
  const paths = isolation.blocked.filter(({ kind }) => kind === 'path').map(({ target }) => target);
  const hidden = [...new Set([...isolation.proposed, ...paths])];
  if (hidden.length === 0) return error;
  const hint = `Its sandbox hides ${hidden.slice(0, 3).join(', ')}. Allow it in the settings of the server, or in mcp.json with "sandbox": { "read": [...] } or "write".`;
  return { ...error, hint };
}

function explain(failed: FailedConnect): ErrorInfo {
  const { config, thrown, end } = failed;
  const own = ownErrorIn(thrown);
  if (own !== undefined) return own.toJSON();
  if (end?.kind === 'unreachable') return unreachable(config, end.detail);
  if (end !== undefined) return explainEnd(config.id, failed.phase, end);
  if (failed.outOfTime) return explainSilence(failed);
  if (thrown instanceof UnauthorizedError) return signInRequired(config.id);
  const status = statusOf(thrown);
  if (status !== undefined) return explainStatus(config, failed.phase, status);
  const network = networkCodeOf(thrown);
  if (network !== undefined) {
    return unreachable(config, network.code);
  }
  if (thrown instanceof ProtocolError) {
    return refused(
      config.id,
      failed.phase,
      `answered with an error: ${thrown.message.slice(0, 1_000)} (${thrown.code})`,
    );
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout) return explainSilence(failed);
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed) {
    return {
      code: 'server_closed',
      message: `The server "${config.id}" closed the connection while ${doing(failed.phase)}.`,
      retryable: true,
    };
  }
  return notMcp(config, failed.phase);
}

/** Why a connection that stood is gone. */
export function explainEnd(serverId: string, phase: ConnectionPhase, end: TransportEnd): ErrorInfo {
  switch (end.kind) {
    case 'not_started':
      return explainNoStart(serverId, end);
    case 'exited': {
      const how = end.signal === null ? `exited with code ${end.code ?? 'unknown'}` : `was ended by ${end.signal}`;
      const words = end.stderr.length === 0 ? ' It wrote nothing to standard error.' : printed(end.stderr);
      return {
        code: 'server_exited',
        message: `The server "${serverId}" ${how} while ${doing(phase)}.${words}`,
        hint:
          likelyCause(end.stderr) ??
          'Run its command in a terminal to see what it lacks: arguments, environment variables, packages.',
        retryable: true,
      };
    }
    case 'line_too_long':
      return {
        code: 'bad_response',
        message: `The server "${serverId}" sent a line of more than ${Math.round(end.limitBytes / 1_048_576)} MB while ${doing(phase)}; it was ended.`,
        hint: 'Either it is no MCP server, or one of its results is far too large.',
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

function unreachable(config: ServerConfig, detail: string): ErrorInfo {
  return {
    code: 'server_unreachable',
    message: `The server "${config.id}" cannot be reached at ${addressOf(config)} (${detail}).`,
    hint: 'Check that it runs, and that the address and the port are right.',
    retryable: true,
  };
}

function explainNoStart(serverId: string, end: Extract<TransportEnd, { kind: 'not_started' }>): ErrorInfo {
  switch (end.reason) {
    case 'command_not_found':
      return {
        code: 'command_not_found',
        message: `The server "${serverId}" cannot be started: there is no command "${end.command}".`,
        hint: 'Install it, or write its whole path. Programs started from a desktop often have a shorter PATH than a terminal.',
      };
    case 'not_executable':
      return {
        code: 'command_not_found',
        message: `The server "${serverId}" cannot be started: "${end.command}" is not a program that may be run.`,
        hint: 'Make the file executable, or name the interpreter as the command and the file as its argument.',
      };
    case 'no_such_folder':
      return {
        code: 'bad_config',
        message: `The server "${serverId}" cannot be started: its folder "${end.cwd ?? ''}" does not exist.`,
        hint: 'Correct "cwd" in its configuration.',
      };
    case 'other':
      return {
        code: 'server_exited',
        message: `The server "${serverId}" cannot be started (${end.detail}).`,
        hint: 'Run its command in a terminal to see what is wrong.',
      };
  }
}

function explainSilence({ config, phase, timeoutMs, noiseLines, stderr }: FailedConnect): ErrorInfo {
  const launcher = launcherOf(config.transport);
  const fallback =
    noiseLines > 0
      ? `It printed ${noiseLines} line(s) that are no MCP: check that the command starts an MCP server.`
      : launcher === undefined
        ? 'It may still be starting: give it a longer connect time-out.'
        : `${launcher} may still be downloading: give the server a longer connect time-out, or run the command once in a terminal.`;
  return {
    code: 'timed_out',
    message: `The server "${config.id}" was not ready within ${seconds(timeoutMs)}; it stopped answering while ${doing(phase)}.${stderr.length === 0 ? '' : printed(stderr)}`,
    hint: likelyCause(stderr) ?? fallback,
    retryable: true,
  };
}

function printed(stderr: readonly string[]): string {
  return ` Its last lines on standard error:\n${stderr.join('\n')}`;
}

function explainStatus(config: ServerConfig, phase: ConnectionPhase, status: number): ErrorInfo {
  if (status === 401) return signInRequired(config.id);
  if (status === 403) {
    return {
      ...refused(config.id, phase, 'denied access (HTTP 403)'),
      hint: 'Check the token and whether the server allows this client.',
    };
  }
  if (status === 502 || status === 503 || status === 504) {
    return {
      code: 'server_unreachable',
      message: `The server "${config.id}" is not available (HTTP ${status}).`,
      hint: 'Something in front of it answers; check that the server itself runs.',
      retryable: true,
    };
  }
  if (status >= 500) {
    return {
      ...refused(config.id, phase, `failed (HTTP ${status})`),
      hint: 'See the log of the server.',
      retryable: true,
    };
  }
  if (status >= 300 && status < 400) {
    return {
      ...refused(config.id, phase, `points to another address (HTTP ${status}), which is not followed`),
      hint: 'If that address is the right one, write it into the configuration.',
    };
  }
  if (status === 404 || status === 405) return notMcp(config, phase, `HTTP ${status}`);
  return refused(config.id, phase, `refused the request (HTTP ${status})`);
}

function notMcp(config: ServerConfig, phase: ConnectionPhase, detail = 'an answer that is no MCP'): ErrorInfo {
  return {
    code: 'server_refused',
    message: `What answers as "${config.id}" at ${addressOf(config)} is not an MCP server as far as can be seen: ${detail} while ${doing(phase)}.`,
    hint:
      config.transport.type === 'stdio'
        ? 'Check that the command starts an MCP server and that it speaks over standard input and output.'
        : 'Check the path of the address (it often ends in /mcp, or in /sse for older servers).',
  };
}

function refused(serverId: string, phase: ConnectionPhase, how: string): ErrorInfo {
  return {
    code: 'server_refused' satisfies ErrorCode,
    message: `The server "${serverId}" ${how} while ${doing(phase)}.`,
    hint: 'Check the configuration of the server and what its documentation asks for.',
  };
}

/** What a guard, or a transport of ours, has said, also where the SDK wrapped it. */
function ownErrorIn(thrown: unknown, depth = 0): ToolyardError | undefined {
  if (ToolyardError.isInstance(thrown)) return thrown;
  return thrown instanceof Error && depth < 5 ? ownErrorIn(thrown.cause, depth + 1) : undefined;
}

/** The HTTP status at the root of an error, also where the SDK wrapped it. */
export function statusOf(thrown: unknown): number | undefined {
  if (thrown instanceof SdkHttpError) return thrown.data.status;
  if (thrown instanceof SseError && thrown.code !== undefined) return thrown.code;
  return thrown instanceof Error && thrown.cause !== undefined ? statusOf(thrown.cause) : undefined;
}

/** Without user information and query: both may hold secrets. */
function addressOf(config: ServerConfig): string {
  if (config.transport.type === 'stdio') return config.transport.command;
  if (config.transport.type === 'in-memory') return config.transport.name;
  if (config.transport.type === 'hosted') return `${titleOf(config.transport)} (${config.transport.server})`;
  const url = readUrl(config.transport.url);
  return url === null ? 'its address' : `${url.origin}${url.pathname}`;
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

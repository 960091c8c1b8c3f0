import type { Implementation } from '@modelcontextprotocol/client';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { JsonObject, ToolReference } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import { seconds } from './call-failure.ts';
import { progressReporter } from './progress.ts';
import type { RawReply } from '../transports/raw-result-transport.ts';
import { anyResult, getRaw } from '../transports/raw-result-transport.ts';
import type { Caller, Era, McpRequestOptions } from '../types.ts';
import type { ServerRequestHandlers } from '../server-requests/answer-request.ts';
import { longestTotal, sdkOptions } from './sdk-options.ts';
import type { RequestContext } from './track-request.ts';
import { RequestStopped, trackRequest } from './track-request.ts';

/** JSON-RPC "invalid request": the request was rejected and not executed. */
export const NOT_ACCEPTED = -32_600;
/** Error code for a forwarded request whose outcome is unknown. */
const OUTCOME_UNKNOWN = -32_001;

/** A request of another client, forwarded unchanged. */
export type ForwardedRequest = {
  method: string;
  params: JsonObject;
  options: McpRequestOptions & {
    /** Answers the server's requests meanwhile, in place of the host's handlers. */
    handlers?: ServerRequestHandlers;
    caller?: Caller;
  };
};

/** A ready server, for a proxy that serves it to other clients. */
export type ForwardedServer = {
  era: Era;
  capabilities: JsonObject;
  serverInfo: Implementation | undefined;
  instructions: string | undefined;
  /**
   * The server's result, unchanged.
   *
   * @throws ProtocolError the server's own, or one that says whether the request was executed
   */
  request(request: ForwardedRequest): Promise<JsonObject>;
};

export type ForwardContext = RequestContext & {
  serverId: string;
  timeoutMs: number;
  /** Sends a request the SDK does not know. */
  ask: (method: string, params: JsonObject, signal: AbortSignal) => Promise<RawReply>;
};

/** @throws ProtocolError as {@link ForwardedServer.request} does */
export async function forward(context: ForwardContext, request: ForwardedRequest): Promise<JsonObject> {
  const { method, params, options } = request;
  const { timeoutMs, serverId } = context;
  const totalMs = longestTotal(timeoutMs);
  const report = options.onProgress && progressReporter(options.onProgress, context);
  const isOfTask = method.startsWith('tasks/');
  const taskId = isOfTask && typeof params['taskId'] === 'string' ? { taskId: params['taskId'] } : {};
  // Server requests during it are attributed to this tool.
  const tool = isOfTask || method === 'tools/call' ? { tool: readTool(serverId, params) } : {};
  try {
    const answer = await trackRequest(context, { options, timeoutMs, totalMs, ...tool, ...taskId }, async (entry) => {
      if (isOfTask) return answerIn(await context.ask(method, params, entry.signal));
      const sent = context.client.request({ method, params } as never, anyResult, sdkOptions(entry, report));
      entry.requestId = context.lastRequestId();
      return getRaw(await sent);
    });
    return isJsonObject(answer) ? answer : {};
  } catch (thrown) {
    throw toProtocolError(thrown, serverId, timeoutMs);
  }
}

function readTool(serverId: string, { name }: JsonObject): ToolReference {
  return { serverId, name: typeof name === 'string' ? name : '' };
}

function answerIn(reply: RawReply): unknown {
  if (reply.kind === 'result') return reply.result;
  const { code, message, data } = reply.error;
  throw new ProtocolError(code, message, data);
}

/** An uncertain outcome becomes `OUTCOME_UNKNOWN`; a request that never reached the server becomes `NOT_ACCEPTED`. */
function toProtocolError(thrown: unknown, serverId: string, timeoutMs: number): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  if (ToolyardError.isInstance(thrown)) return new ProtocolError(NOT_ACCEPTED, thrown.message);
  if (thrown instanceof RequestStopped) {
    const why =
      thrown.by === 'time-out' ? `no response or progress within ${seconds(timeoutMs)}` : 'the request was cancelled';
    return new ProtocolError(OUTCOME_UNKNOWN, `${why}.`);
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.NotConnected) {
    return new ProtocolError(NOT_ACCEPTED, `the server "${serverId}" is not connected.`);
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed) {
    return new ProtocolError(
      OUTCOME_UNKNOWN,
      `the connection to the server "${serverId}" was closed before it answered.`,
    );
  }
  return new ProtocolError(OUTCOME_UNKNOWN, `the response of the server "${serverId}" could not be read.`);
}

import type { Implementation } from '@modelcontextprotocol/client';
import { ProtocolError, SdkError, SdkErrorCode } from '@modelcontextprotocol/client';
import type { JsonObject, ToolReference } from '@toolyard/protocol';
import { isJsonObject, ToolyardError } from '@toolyard/protocol';
import { seconds } from './call-failure.ts';
import { readProgress } from './progress.ts';
import type { RawReply } from '../transports/raw-result-transport.ts';
import { anyResult, rawOf } from '../transports/raw-result-transport.ts';
import type { Caller, Era, McpRequestOptions } from '../types.ts';
import type { QuestionHandlers } from '../questions/questions.ts';
import type { RequestContext } from './track-request.ts';
import { RequestStopped, trackRequest } from './track-request.ts';

/** Time is kept by us: the SDK's own timer cannot stand still while a person is asked. */
const NEVER = 2 ** 31 - 1;
/** Progress renews the time-out, but not for ever. */
const LONGEST_MS = 60 * 60 * 1_000;

/** What the protocol has for a request that was not accepted. */
export const NOT_ACCEPTED = -32_600;
/** What those who pass calls on say when nobody can tell what came of one. */
const GIVEN_UP = -32_001;

/** What somebody else asks of a server, passed on as it is. */
export type ForwardedRequest = {
  method: string;
  params: JsonObject;
  options: McpRequestOptions & {
    /** Answers what the server asks meanwhile, in place of the handlers of the host. */
    handlers?: QuestionHandlers;
    caller?: Caller;
  };
};

/** A ready server, for whoever offers it to others. */
export type ForwardedServer = {
  era: Era;
  capabilities: JsonObject;
  serverInfo: Implementation | undefined;
  instructions: string | undefined;
  /**
   * The answer as the server gave it.
   *
   * @throws ProtocolError: that of the server, or one that says whether what was asked may have taken effect
   */
  request(request: ForwardedRequest): Promise<JsonObject>;
};

export type ForwardContext = RequestContext & {
  serverId: string;
  timeoutMs: number;
  /** Makes a request the SDK does not know. */
  ask: (method: string, params: JsonObject, signal: AbortSignal) => Promise<RawReply>;
};

/** @throws ProtocolError as {@link ForwardedServer.request} does */
export async function forward(context: ForwardContext, request: ForwardedRequest): Promise<JsonObject> {
  const { method, params, options } = request;
  const { timeoutMs, serverId } = context;
  const totalMs = Math.max(LONGEST_MS, 10 * timeoutMs);
  const isOfTask = method.startsWith('tasks/');
  const taskId = isOfTask && typeof params['taskId'] === 'string' ? { taskId: params['taskId'] } : {};
  // What is asked while it is open is asked in the name of it.
  const tool = isOfTask || method === 'tools/call' ? { tool: toolOf(serverId, params) } : {};
  try {
    const answer = await trackRequest(context, { options, timeoutMs, totalMs, ...tool, ...taskId }, async (entry) => {
      if (isOfTask) return answerIn(await context.ask(method, params, entry.signal));
      const sent = context.client.request({ method, params } as never, anyResult, {
        signal: entry.signal,
        timeout: NEVER,
        allowInputRequired: true,
        onprogress: (progress) => {
          entry.deadline.renew();
          options.onProgress?.(readProgress(progress, context.relays));
        },
      });
      entry.requestId = context.lastRequestId();
      return rawOf(await sent);
    });
    return isJsonObject(answer) ? answer : {};
  } catch (thrown) {
    throw explain(thrown, serverId, timeoutMs);
  }
}

function toolOf(serverId: string, { name }: JsonObject): ToolReference {
  return { serverId, name: typeof name === 'string' ? name : '' };
}

function answerIn(reply: RawReply): unknown {
  if (reply.kind === 'result') return reply.result;
  const { code, message, data } = reply.error;
  throw new ProtocolError(code, message, data);
}

/** In doubt it is said that nobody knows; what certainly never reached the server is said to be not accepted. */
function explain(thrown: unknown, serverId: string, timeoutMs: number): ProtocolError {
  if (thrown instanceof ProtocolError) return thrown;
  if (ToolyardError.isInstance(thrown)) return new ProtocolError(NOT_ACCEPTED, thrown.message);
  if (thrown instanceof RequestStopped) {
    const why = thrown.by === 'time-out' ? `it gave no sign of life for ${seconds(timeoutMs)}` : 'it was stopped';
    return new ProtocolError(GIVEN_UP, `${why}.`);
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.NotConnected) {
    return new ProtocolError(NOT_ACCEPTED, `the server "${serverId}" is not connected.`);
  }
  if (thrown instanceof SdkError && thrown.code === SdkErrorCode.ConnectionClosed) {
    return new ProtocolError(GIVEN_UP, `the server "${serverId}" went away meanwhile.`);
  }
  return new ProtocolError(GIVEN_UP, `the answer of the server "${serverId}" could not be read.`);
}

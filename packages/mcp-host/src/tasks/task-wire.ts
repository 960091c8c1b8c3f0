import type { Client, Implementation } from '@modelcontextprotocol/client';
import { ProtocolError } from '@modelcontextprotocol/client';
import type { ConnectedMcpSessionPort, TaskView } from '@modelcontextprotocol/ext-tasks/client';
import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { RawReply, RawResultTransport } from '../transports/raw-result-transport.ts';
import { readInputRequest } from '../calls/request.ts';
import type { Era } from '../types.ts';
import type { ServerInputRequest } from '../calls/track-request.ts';
import { TASKS_EXTENSION } from './read-task.ts';

/** How a task stands. `asked`: what it waits to be told, by the server's own keys. */
export type TaskState = {
  status: TaskView['status'];
  text: string | undefined;
  /** What the server wants between two looks, in milliseconds. */
  pollMs: number | undefined;
  asked: [string, ServerInputRequest][];
  /** Present where the answer says how the call went. */
  result: JsonValue | undefined;
  error: { code: number; message: string } | undefined;
};

/** What can be asked about one task, in either era. All of it throws ProtocolError for what the server refuses. */
export type TaskWire = {
  look(signal: AbortSignal): Promise<TaskState>;
  /** Legacy servers give the result when asked for it, and put questions while somebody waits for it. */
  result(signal: AbortSignal): Promise<JsonValue>;
  /** Answers what a modern server asks. */
  answer(answers: JsonObject, signal: AbortSignal): Promise<void>;
  cancel(signal: AbortSignal): Promise<void>;
};

export type TaskWireOptions = {
  serverId: string;
  client: Client;
  era: Era;
  transport: RawResultTransport;
  clientInfo: Implementation;
  clientCapabilities: JsonObject;
};

/** Speaks about one task with its server. The protocols of tasks are loaded when the first one is met. */
export async function openTaskWire(options: TaskWireOptions, taskId: string): Promise<TaskWire> {
  const { JsonRpcResponseError, withTasks } = await import('@modelcontextprotocol/ext-tasks/client');
  const dispatch = (request: JsonValue, signal: AbortSignal | undefined): Promise<RawReply> => {
    const { method, params } = request as { method: string; params: JsonObject };
    return options.transport.ask(method, withClientMeta(options, params), signal ?? new AbortController().signal);
  };
  const port: ConnectedMcpSessionPort = {
    endpointId: options.serverId,
    taskCapabilities:
      options.era === 'modern'
        ? { generation: 'v2', capabilities: {} }
        : { generation: 'v1', capabilities: { cancel: {}, requests: { tools: { call: {} } } } },
    dispatch: (request, given) => dispatch(request as JsonValue, given?.signal),
    onServerRequest: () => () => undefined,
    onNotification: () => () => undefined,
    onInvalidated: () => () => undefined,
    invalidated: false,
  };
  const task = withTasks(port).task(taskId as Parameters<ReturnType<typeof withTasks>['task']>[0]);
  const said = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (thrown) {
      if (!(thrown instanceof JsonRpcResponseError)) throw thrown;
      throw new ProtocolError(thrown.code, thrown.message, thrown.data);
    }
  };
  return {
    look: async (signal) => lookOf(await said(task.snapshot(signal))),
    cancel: (signal) => said(task.cancel(signal)),
    answer: (answers, signal) => said(task.updateJson(answers, signal)),
    async result(signal) {
      const reply = await dispatch({ method: 'tasks/result', params: { taskId } }, signal);
      if (reply.kind === 'result') return reply.result;
      throw new ProtocolError(reply.error.code, reply.error.message, reply.error.data);
    },
  };
}

function lookOf({ status, statusMessage, suggestedPollIntervalMs, raw }: TaskView): TaskState {
  const { inputRequests, result, error } = raw as JsonObject;
  return {
    status,
    text: statusMessage,
    pollMs: suggestedPollIntervalMs,
    asked: isJsonObject(inputRequests)
      ? Object.entries(inputRequests).map(([key, one]): [string, ServerInputRequest] => [key, readInputRequest(one)])
      : [],
    result,
    error: isJsonObject(error)
      ? { code: Number(error['code']), message: typeof error['message'] === 'string' ? error['message'] : '' }
      : undefined,
  };
}

/** Modern servers are told with every request who asks, and what that client can do. */
export function withClientMeta(
  {
    client,
    era,
    clientInfo,
    clientCapabilities,
  }: Pick<TaskWireOptions, 'client' | 'era' | 'clientInfo' | 'clientCapabilities'>,
  params: JsonObject,
): JsonObject {
  if (era === 'legacy') return params;
  return {
    ...params,
    _meta: {
      'io.modelcontextprotocol/protocolVersion': client.getNegotiatedProtocolVersion() ?? '',
      'io.modelcontextprotocol/clientInfo': clientInfo as unknown as JsonObject,
      'io.modelcontextprotocol/clientCapabilities': withTasksExtension(clientCapabilities),
    },
  };
}

/** What a client can do, and that it can wait for tasks. */
export function withTasksExtension(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...(isJsonObject(extensions) ? extensions : {}), [TASKS_EXTENSION]: {} } };
}

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

/** The state of a task. `asked`: its input requests, by the server's own keys. */
export type TaskState = {
  status: TaskView['status'];
  text: string | undefined;
  /** The poll interval the server suggests, in milliseconds. */
  pollMs: number | undefined;
  asked: [string, ServerInputRequest][];
  /** Set if the response contains the outcome of the call. */
  result: JsonValue | undefined;
  error: { code: number; message: string } | undefined;
};

/** The operations on one task, in either era. Each throws the ProtocolError of the server. */
export type TaskWire = {
  poll(signal: AbortSignal): Promise<TaskState>;
  /** Legacy servers return the result here, and send their requests while it is pending. */
  result(signal: AbortSignal): Promise<JsonValue>;
  /** Answers the input requests of a modern server. */
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

/** Opens the operations on one task. The task protocols are loaded on first use. */
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
    dispatch: (request, requestOptions) => dispatch(request as JsonValue, requestOptions?.signal),
    onServerRequest: () => () => undefined,
    onNotification: () => () => undefined,
    onInvalidated: () => () => undefined,
    invalidated: false,
  };
  const task = withTasks(port).task(taskId as Parameters<ReturnType<typeof withTasks>['task']>[0]);
  const mapErrors = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (thrown) {
      if (!(thrown instanceof JsonRpcResponseError)) throw thrown;
      throw new ProtocolError(thrown.code, thrown.message, thrown.data);
    }
  };
  return {
    poll: async (signal) => toState(await mapErrors(task.snapshot(signal))),
    cancel: (signal) => mapErrors(task.cancel(signal)),
    answer: (answers, signal) => mapErrors(task.updateJson(answers, signal)),
    async result(signal) {
      const reply = await dispatch({ method: 'tasks/result', params: { taskId } }, signal);
      if (reply.kind === 'result') return reply.result;
      throw new ProtocolError(reply.error.code, reply.error.message, reply.error.data);
    },
  };
}

function toState({ status, statusMessage, suggestedPollIntervalMs, raw }: TaskView): TaskState {
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

/** Modern servers receive client info and capabilities with every request. */
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

/** The client capabilities with the tasks extension. */
export function withTasksExtension(capabilities: JsonObject): JsonObject {
  const { extensions } = capabilities;
  return { ...capabilities, extensions: { ...(isJsonObject(extensions) ? extensions : {}), [TASKS_EXTENSION]: {} } };
}

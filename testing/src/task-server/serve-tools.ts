import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { ServedTask, TaskRegistry, TaskWork } from './task-registry.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const RELATED = 'io.modelcontextprotocol/related-task';

/** A tool of the task server: it answers at once, or runs as a task if the client supports tasks. */
export type ServedTool = {
  name: string;
  description?: string;
  inputSchema?: JsonObject;
} & (
  | { call(args: JsonObject, context: ServerContext): Answer | Promise<Answer> }
  | {
      /** `required`: clients without tasks are rejected. */
      tasks: 'optional' | 'required';
      work(args: JsonObject, context: ServerContext): TaskWork;
      /** A result other than undefined is returned without starting a task. */
      before?(args: JsonObject, context: ServerContext): Answer | undefined;
    }
);

/** A result as sent. */
type Answer = Record<string, unknown>;

const anything: {
  '~standard': {
    version: 1;
    vendor: string;
    validate(value: unknown): { value: JsonObject };
    types?: { input: JsonObject; output: JsonObject };
  };
} = { '~standard': { version: 1, vendor: 'toolyard', validate: (value) => ({ value: value as JsonObject }) } };

/** A protocol error for the client. */
export function createProtocolError(code: number, message: string, data?: object): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}

/**
 * Serves tools, some of them as tasks: in the modern era by the extension, in the legacy one by the experimental tasks
 * of 2025-11-25. Replaces the SDK's `tools/call`, which turns errors into results.
 */
export function serveTools(
  mcp: McpServer,
  era: 'legacy' | 'modern',
  registry: TaskRegistry,
  tools: readonly ServedTool[],
): void {
  for (const tool of tools) {
    const { name, description = name, inputSchema = { type: 'object' } } = tool;
    const config = { description, inputSchema: fromJsonSchema(inputSchema) };
    const registered = mcp.registerTool(name, config, () => ({ content: [] }));
    if (era === 'legacy' && 'work' in tool) registered.execution = { taskSupport: tool.tasks };
  }
  const server = mcp.server;
  server.registerCapabilities(
    era === 'modern'
      ? { extensions: { [EXTENSION]: {} } }
      : { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
  );
  server.setRequestHandler('tools/call', { params: anything }, async (params, context) => {
    const toolName = readText(params['name']);
    const tool = tools.find(({ name }) => name === toolName);
    if (tool === undefined) throw createProtocolError(-32_602, `Unknown tool ${toolName}.`);
    const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
    if (!('work' in tool)) return toErrorResult(() => tool.call(args, context));
    const isTask = era === 'modern' ? supportsTasks(context) : params['task'] !== undefined;
    if (!isTask && tool.tasks === 'required') throw createMissingError(era);
    const instead = tool.before?.(args, context);
    if (instead !== undefined) return instead;
    const task = registry.start(tool.work(args, context));
    if (isTask)
      return era === 'modern'
        ? { resultType: 'task', ...modernTask(task) }
        : // In the legacy era the SDK rejects a result without it.
          { content: [], task: legacyTask(task) };
    await registry.settled(task.id);
    if (task.error !== undefined) throw createProtocolError(task.error.code, task.error.message);
    return task.result ?? {};
  });
  if (era === 'modern') serveModern(mcp, registry);
  else serveLegacy(mcp, registry);
}

/** An error of a tool is its result, unless it is a protocol error. */
async function toErrorResult(call: () => Answer | Promise<Answer>): Promise<Answer> {
  try {
    return await call();
  } catch (thrown) {
    if (thrown instanceof Error && 'code' in thrown) throw thrown;
    return {
      isError: true,
      content: [{ type: 'text', text: thrown instanceof Error ? thrown.message : String(thrown) }],
    };
  }
}

function serveModern({ server }: McpServer, registry: TaskRegistry): void {
  const serve = (method: string, answer: (task: ServedTask, context: ServerContext) => Answer): void =>
    server.setRequestHandler(method, { params: anything }, (params, context) => {
      if (!supportsTasks(context)) throw createMissingError('modern');
      return answer(known(registry, params), context);
    });
  serve('tasks/get', detailed);
  serve('tasks/update', (task, context) => {
    registry.answer(task.id, context.mcpReq.inputResponses ?? {});
    return {};
  });
  serve('tasks/cancel', (task) => {
    registry.cancel(task.id);
    return {};
  });
}

function serveLegacy({ server }: McpServer, registry: TaskRegistry): void {
  const serve = (
    method: string,
    answer: (task: ServedTask, context: ServerContext) => Answer | Promise<Answer>,
  ): void =>
    server.setRequestHandler(method, { params: anything }, (params, context) =>
      answer(known(registry, params), context),
    );
  serve('tasks/get', legacyTask);
  serve('tasks/cancel', (task) => {
    if (task.result ?? task.error) throw createProtocolError(-32_602, 'The task has ended.');
    registry.cancel(task.id);
    return legacyTask(task);
  });
  serve('tasks/result', async (task, context) => {
    while (task.status === 'working' || task.status === 'input_required') {
      const openRequests = [...task.inputRequests];
      if (openRequests.length === 0) {
        await registry.changed(task.id);
        continue;
      }
      const answers = openRequests.map(async ([key, { method, params }]) => {
        const request = { method, params: { ...params, _meta: { [RELATED]: { taskId: task.id } } } };
        return [key, await context.mcpReq.send(request, anything)] as const;
      });
      registry.answer(task.id, Object.fromEntries(await Promise.all(answers)));
    }
    if (task.error !== undefined) throw createProtocolError(task.error.code, task.error.message);
    if (task.result === undefined) throw createProtocolError(-32_602, 'The task was cancelled.');
    return { ...task.result, _meta: { [RELATED]: { taskId: task.id } } };
  });
  server.setRequestHandler('tasks/list', { params: anything }, () => ({ tasks: registry.tasks.map(legacyTask) }));
}

function known(registry: TaskRegistry, params: JsonObject): ServedTask {
  const task = registry.find(readText(params['taskId']));
  if (task === undefined) throw createProtocolError(-32_602, 'Unknown task.');
  return task;
}

/** Reads a string argument. */
export function readText(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function supportsTasks(context: ServerContext): boolean {
  const envelope: Record<string, unknown> = context.mcpReq.envelope ?? {};
  const declared = envelope[CAPABILITIES] as { extensions?: object } | undefined;
  return EXTENSION in (declared?.extensions ?? {});
}

function createMissingError(era: 'legacy' | 'modern'): Error {
  if (era === 'legacy') return createProtocolError(-32_601, 'This tool can only be called as a task.');
  return createProtocolError(-32_021, 'The client does not support tasks.', {
    requiredCapabilities: { extensions: { [EXTENSION]: {} } },
  });
}

function modernTask(task: ServedTask): JsonObject {
  return {
    taskId: task.id,
    status: task.status,
    ...(task.text === undefined ? {} : { statusMessage: task.text }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.changedAt).toISOString(),
    ttlMs: task.ttlMs,
    pollIntervalMs: task.pollIntervalMs,
  };
}

function detailed(task: ServedTask): JsonObject {
  return {
    ...modernTask(task),
    ...(task.status === 'input_required' ? { inputRequests: Object.fromEntries(task.inputRequests) } : {}),
    ...(task.result === undefined ? {} : { result: task.result }),
    ...(task.error === undefined ? {} : { error: task.error }),
  };
}

function legacyTask(task: ServedTask): JsonObject {
  return {
    taskId: task.id,
    status: task.status,
    ...(task.text === undefined ? {} : { statusMessage: task.text }),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.changedAt).toISOString(),
    ttl: task.ttlMs,
    pollInterval: task.pollIntervalMs,
  };
}

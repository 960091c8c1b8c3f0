import type { McpServer, ServerContext } from '@modelcontextprotocol/server';
import { fromJsonSchema } from '@modelcontextprotocol/server';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { ServedTask, TaskRegistry, TaskWork } from './task-registry.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const RELATED = 'io.modelcontextprotocol/related-task';

/** A tool of the task server: one that answers at once, or one whose work is a task where the client knows tasks. */
export type ServedTool = {
  name: string;
  description?: string;
  inputSchema?: JsonObject;
} & (
  | { call(args: JsonObject, context: ServerContext): Answer | Promise<Answer> }
  | {
      /** `required`: whoever does not know tasks is refused. */
      tasks: 'optional' | 'required';
      work(args: JsonObject, context: ServerContext): TaskWork;
      /** Anything but undefined is answered as it is, and no task begun. */
      before?(args: JsonObject, context: ServerContext): Answer | undefined;
    }
);

/** A result as it goes over the wire. */
type Answer = Record<string, unknown>;

const anything: {
  '~standard': {
    version: 1;
    vendor: string;
    validate(value: unknown): { value: JsonObject };
    types?: { input: JsonObject; output: JsonObject };
  };
} = { '~standard': { version: 1, vendor: 'toolyard', validate: (value) => ({ value: value as JsonObject }) } };

/** An error a client gets as it is. */
export function protocolError(code: number, message: string, data?: object): Error {
  return Object.assign(new Error(message), { code, ...(data === undefined ? {} : { data }) });
}

/**
 * Serves tools, some of them as tasks: in the modern era as the extension has it, in the legacy one as 2025-11-25
 * tried it. What the SDK does with `tools/call` is replaced: it turns what a tool throws into a result.
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
    const wanted = textOf(params['name']);
    const tool = tools.find(({ name }) => name === wanted);
    if (tool === undefined) throw protocolError(-32_602, `There is no tool ${wanted}.`);
    const args = isJsonObject(params['arguments']) ? params['arguments'] : {};
    if (!('work' in tool)) return calm(() => tool.call(args, context));
    const wantsTask = era === 'modern' ? knowsTasks(context) : params['task'] !== undefined;
    if (!wantsTask && tool.tasks === 'required') throw missing(era);
    const instead = tool.before?.(args, context);
    if (instead !== undefined) return instead;
    const task = registry.start(tool.work(args, context));
    if (wantsTask)
      return era === 'modern'
        ? { resultType: 'task', ...modernTask(task) }
        : // The SDK lets no result of the legacy era pass without it.
          { content: [], task: legacyTask(task) };
    await registry.settled(task.id);
    if (task.error !== undefined) throw protocolError(task.error.code, task.error.message);
    return task.result ?? {};
  });
  if (era === 'modern') serveModern(mcp, registry);
  else serveLegacy(mcp, registry);
}

/** What a tool throws is its result, unless it is a matter of the protocol. */
async function calm(call: () => Answer | Promise<Answer>): Promise<Answer> {
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
      if (!knowsTasks(context)) throw missing('modern');
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
    if (task.result ?? task.error) throw protocolError(-32_602, 'The task is over.');
    registry.cancel(task.id);
    return legacyTask(task);
  });
  serve('tasks/result', async (task, context) => {
    while (task.status === 'working' || task.status === 'input_required') {
      const asked = [...task.questions];
      if (asked.length === 0) {
        await registry.changed(task.id);
        continue;
      }
      const answers = asked.map(async ([key, { method, params }]) => {
        const request = { method, params: { ...params, _meta: { [RELATED]: { taskId: task.id } } } };
        return [key, await context.mcpReq.send(request, anything)] as const;
      });
      registry.answer(task.id, Object.fromEntries(await Promise.all(answers)));
    }
    if (task.error !== undefined) throw protocolError(task.error.code, task.error.message);
    if (task.result === undefined) throw protocolError(-32_602, 'The task was cancelled.');
    return { ...task.result, _meta: { [RELATED]: { taskId: task.id } } };
  });
  server.setRequestHandler('tasks/list', { params: anything }, () => ({ tasks: registry.tasks.map(legacyTask) }));
}

function known(registry: TaskRegistry, params: JsonObject): ServedTask {
  const task = registry.find(textOf(params['taskId']));
  if (task === undefined) throw protocolError(-32_602, 'There is no such task.');
  return task;
}

/** An argument that should be a text. */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function knowsTasks(context: ServerContext): boolean {
  const envelope: Record<string, unknown> = context.mcpReq.envelope ?? {};
  const declared = envelope[CAPABILITIES] as { extensions?: object } | undefined;
  return EXTENSION in (declared?.extensions ?? {});
}

function missing(era: 'legacy' | 'modern'): Error {
  if (era === 'legacy') return protocolError(-32_601, 'This tool can only be called as a task.');
  return protocolError(-32_021, 'The client does not know tasks.', {
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
    ...(task.status === 'input_required' ? { inputRequests: Object.fromEntries(task.questions) } : {}),
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

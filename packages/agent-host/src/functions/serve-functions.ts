import type { ServeInMemory, ServerInfo } from '@toolyard/mcp-host';
import { initialized, MethodError, serveMethods } from '@toolyard/mcp-host';
import type { JsonObject, ToolAnnotations, ToolResult } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError, VERSION } from '@toolyard/protocol';
import { NO_USER_ERROR } from './no-user-error.ts';
import { runFunction } from './run-function.ts';
import type { FunctionTool, FunctionToolGroup } from './tool.ts';

/**
 * Function tools as an in-memory MCP server: an MCP host lists them there, and calls them for callers outside a run.
 * Runs execute them directly.
 */
export function serveFunctions(group: FunctionToolGroup): ServeInMemory {
  const { tools } = group;
  return serveMethods({
    initialize: (params) =>
      initialized(params, { capabilities: { tools: {} }, serverInfo: { ...toServerInfo(group) } }),
    ping: () => ({}),
    'tools/list': () => ({ tools: tools.map(listed) }),
    'tools/call': async (params) => {
      const tool = tools.find(({ name }) => name === params['name']);
      if (!tool) throw new MethodError(-32_602, 'There is no tool with this name.');
      return called(tool, params['arguments']);
    },
  });
}

/** How the server of a group is called. */
export function toServerInfo({ id, title }: FunctionToolGroup): ServerInfo {
  return { name: `toolyard-${id}`, version: VERSION, ...defined({ title }) };
}

function listed({ name, title, description, inputSchema, annotations }: FunctionTool): JsonObject {
  return {
    name,
    ...defined({ title }),
    description,
    inputSchema,
    ...(annotations === undefined ? {} : { annotations: toHints(annotations) }),
  };
}

function toHints({ readOnly, destructive, idempotent, openWorld }: ToolAnnotations): JsonObject {
  return defined({
    readOnlyHint: readOnly,
    destructiveHint: destructive,
    idempotentHint: idempotent,
    openWorldHint: openWorld,
  });
}

/** Converts a result to MCP's format: bytes inline as base64. */
async function called(tool: FunctionTool, args: unknown): Promise<JsonObject> {
  const { content, structured, isError } = await runFunction(tool, isJsonObject(args) ? args : {}, {
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: () => Promise.reject(new ToolyardError(NO_USER_ERROR)),
  });
  return {
    content: content.map(toContent),
    ...(isJsonObject(structured) ? { structuredContent: structured } : {}),
    isError,
  };
}

function toContent(part: ToolResult['content'][number]): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'resource') return { type: 'resource_link', uri: part.uri, name: part.name ?? part.uri };
  const { type, mimeType, source } = part;
  return 'data' in source ? { type, mimeType, data: source.data } : { type: 'text', text: `(${mimeType})` };
}

import type { ServeInMemory, ServerInfo } from '@toolyard/mcp-host';
import type { JsonObject, ToolAnnotations, ToolResult } from '@toolyard/protocol';
import { defined, isJsonObject, ToolyardError, VERSION } from '@toolyard/protocol';
import { NO_USER_ERROR } from './no-user-error.ts';
import { runFunction } from './run-function.ts';
import type { FunctionTool, FunctionToolGroup } from './tool.ts';

type Peer = Parameters<ServeInMemory>[0];
type Incoming = Parameters<NonNullable<Peer['onmessage']>>[0];
type Request = Extract<Incoming, { method: string; id: string | number }>;

/**
 * Function tools as an in-memory MCP server: an MCP host lists them there, and calls them for callers outside a run.
 * Runs execute them directly.
 */
export function serveFunctions(group: FunctionToolGroup): ServeInMemory {
  return async (transport) => {
    transport.onmessage = (message) => {
      if ('method' in message && 'id' in message) void respond(group, message).then((it) => transport.send(it));
    };
    await transport.start();
  };
}

/** How the server of a group is called. */
export function infoOf({ id, title }: FunctionToolGroup): ServerInfo {
  return { name: `toolyard-${id}`, version: VERSION, ...defined({ title }) };
}

async function respond(group: FunctionToolGroup, request: Request): Promise<Incoming> {
  const { tools } = group;
  const { id, method } = request;
  const params: JsonObject = isJsonObject(request.params) ? request.params : {};
  switch (method) {
    case 'initialize':
      return {
        jsonrpc: '2.0',
        id,
        result: {
          protocolVersion: typeof params['protocolVersion'] === 'string' ? params['protocolVersion'] : '2025-11-25',
          capabilities: { tools: {} },
          serverInfo: infoOf(group),
        },
      };
    case 'ping':
      return { jsonrpc: '2.0', id, result: {} };
    case 'tools/list':
      return { jsonrpc: '2.0', id, result: { tools: tools.map(listed) } };
    case 'tools/call': {
      const tool = tools.find(({ name }) => name === params['name']);
      if (!tool) return { jsonrpc: '2.0', id, error: { code: -32_602, message: 'There is no tool with this name.' } };
      return { jsonrpc: '2.0', id, result: await called(tool, params['arguments']) };
    }
    default:
      return { jsonrpc: '2.0', id, error: { code: -32_601, message: `There is no method ${method}.` } };
  }
}

function listed({ name, title, description, inputSchema, annotations }: FunctionTool): JsonObject {
  return {
    name,
    ...defined({ title }),
    description,
    inputSchema,
    ...(annotations === undefined ? {} : { annotations: hintsOf(annotations) }),
  };
}

function hintsOf({ readOnly, destructive, idempotent, openWorld }: ToolAnnotations): JsonObject {
  return {
    ...defined({
      readOnlyHint: readOnly,
      destructiveHint: destructive,
      idempotentHint: idempotent,
      openWorldHint: openWorld,
    }),
  };
}

/** Converts a result to MCP's format: bytes inline as base64. */
async function called(tool: FunctionTool, args: unknown): Promise<JsonObject> {
  const { content, structured, isError } = await runFunction(tool, isJsonObject(args) ? args : {}, {
    signal: new AbortController().signal,
    progress: () => undefined,
    ask: () => Promise.reject(new ToolyardError(NO_USER_ERROR)),
  });
  return {
    content: content.map(contentOf),
    ...(isJsonObject(structured) ? { structuredContent: structured } : {}),
    isError,
  };
}

function contentOf(part: ToolResult['content'][number]): JsonObject {
  if (part.type === 'text') return { type: 'text', text: part.text };
  if (part.type === 'resource') return { type: 'resource_link', uri: part.uri, name: part.name ?? part.uri };
  const { type, mimeType, source } = part;
  return 'data' in source ? { type, mimeType, data: source.data } : { type: 'text', text: `(${mimeType})` };
}

import type { JSONRPCMessage } from '@modelcontextprotocol/client';
import type { JsonObject } from '@toolyard/protocol';
import { isJsonObject, messageOf } from '@toolyard/protocol';
import type { ServeInMemory } from './in-memory-transport.ts';

/** The requests that an in-process server answers, by method. `signal` is aborted when the request is cancelled. */
export type ServedMethods = Readonly<
  Record<string, (params: JsonObject, signal: AbortSignal) => JsonObject | Promise<JsonObject>>
>;

/**
 * Thrown by a method to answer with this JSON-RPC error.
 *
 * @example
 * const methods: ServedMethods = {
 *   'resources/read': ({ uri }) => {
 *     throw new MethodError(-32_002, `There is no ${String(uri)}.`);
 *   },
 * };
 */
export class MethodError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor(code: number, message: string, data?: unknown) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

type Request = Extract<JSONRPCMessage, { method: string; id: string | number }>;

/**
 * An MCP server in this process that consists of these methods.
 *
 * @example
 * const clockServer = serveMethods({
 *   initialize: (params) =>
 *     initialized(params, { capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1.0.0' } }),
 *   'tools/list': () => ({ tools: [{ name: 'now', inputSchema: { type: 'object' } }] }),
 *   'tools/call': () => ({ content: [{ type: 'text', text: new Date().toISOString() }] }),
 * });
 * const createTransport = createWebTransports({ fetch, inMemory: { clock: clockServer } });
 */
export function serveMethods(methods: ServedMethods): ServeInMemory {
  return async (transport) => {
    const open = new Map<string | number, AbortController>();
    const answer = async (request: Request): Promise<void> => {
      const controller = new AbortController();
      open.set(request.id, controller);
      const message = await respond(methods, request, controller.signal);
      open.delete(request.id);
      if (!controller.signal.aborted) await transport.send(message);
    };
    transport.onmessage = (message) => {
      if (!('method' in message)) return;
      if ('id' in message) void answer(message);
      else if (message.method === 'notifications/cancelled') {
        const id = message.params?.['requestId'];
        if (typeof id === 'string' || typeof id === 'number') open.get(id)?.abort();
      }
    };
    transport.onclose = () => {
      for (const controller of open.values()) controller.abort();
    };
    await transport.start();
  };
}

async function respond(
  methods: ServedMethods,
  { id, method, params }: Request,
  signal: AbortSignal,
): Promise<JSONRPCMessage> {
  const serve = Object.hasOwn(methods, method) ? methods[method] : undefined;
  if (serve === undefined) {
    return { jsonrpc: '2.0', id, error: { code: -32_601, message: `There is no method ${method}.` } };
  }
  try {
    return { jsonrpc: '2.0', id, result: await serve(isJsonObject(params) ? params : {}, signal) };
  } catch (thrown) {
    const error =
      thrown instanceof MethodError
        ? { code: thrown.code, message: thrown.message, ...(thrown.data === undefined ? {} : { data: thrown.data }) }
        : { code: -32_603, message: messageOf(thrown) };
    return { jsonrpc: '2.0', id, error };
  }
}

/**
 * The answer to `initialize`.
 *
 * @example
 * const initialize = (params: JsonObject): JsonObject =>
 *   initialized(params, { capabilities: { tools: {} }, serverInfo: { name: 'clock', version: '1.0.0' } });
 */
export function initialized(
  params: JsonObject,
  about: { capabilities: JsonObject; serverInfo: JsonObject; instructions?: string },
): JsonObject {
  const { protocolVersion } = params;
  return { protocolVersion: typeof protocolVersion === 'string' ? protocolVersion : '2025-11-25', ...about };
}

import type { McpRequestContext } from '@modelcontextprotocol/server';
import { McpServer } from '@modelcontextprotocol/server';
import type { JsonObject } from '@toolyard/protocol';
import { defined, isJsonObject, parseJson } from '@toolyard/protocol';
import type { McpMount } from '../create-mcp-mount.ts';

export const URL_OF_MOUNT = 'http://localhost:8700/mcp';

/**
 * A tool that returns a text, one that closes its own stream before that, and a resource that clients can subscribe
 * to.
 */
export function exampleServer({ era }: Pick<McpRequestContext, 'era'>): McpServer {
  const mcp = new McpServer(
    { name: 'example', version: '1.0.0' },
    { capabilities: { resources: { subscribe: true, listChanged: true } } },
  );
  mcp.registerTool('hello', { description: era }, () => ({ content: [{ type: 'text', text: `hello, ${era}` }] }));
  mcp.registerTool('hidden-hello', { description: era }, async ({ http }) => {
    http?.closeSSE?.();
    await new Promise((resolve) => setTimeout(resolve, 20));
    return { content: [{ type: 'text', text: 'hello from behind a cut stream' }] };
  });
  mcp.registerResource('note', 'test://note', {}, ({ href }) => ({ contents: [{ uri: href, text: 'a note' }] }));
  return mcp;
}

export type MountRequestOptions = {
  method?: string;
  session?: string;
  headers?: Record<string, string>;
  owner?: string;
};

/** A request of a legacy client. */
export function ask(
  mount: McpMount,
  message: JsonObject | undefined,
  options: MountRequestOptions = {},
): Promise<Response> {
  const headers = {
    host: 'localhost:8700',
    accept: 'application/json, text/event-stream',
    ...(message === undefined ? {} : { 'content-type': 'application/json' }),
    ...defined({ 'mcp-session-id': options.session }),
    'mcp-protocol-version': '2025-11-25',
    ...options.headers,
  };
  const request = new Request(URL_OF_MOUNT, {
    method: options.method ?? (message === undefined ? 'GET' : 'POST'),
    headers,
    ...(message === undefined ? {} : { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
  });
  return mount.fetch(request, options.owner === undefined ? {} : { owner: options.owner });
}

/** A request of a modern client. */
export function askModern(mount: McpMount, method: string, params: JsonObject = {}): Promise<Response> {
  const envelope = {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1.0.0' },
    'io.modelcontextprotocol/clientCapabilities': {},
  };
  const name = typeof params['name'] === 'string' ? { 'mcp-name': params['name'] } : {};
  const headers = { 'mcp-protocol-version': '2026-07-28', 'mcp-method': method, ...name };
  return ask(mount, { id: 1, method, params: { ...params, _meta: envelope } }, { headers });
}

export const INITIALIZE = {
  id: 0,
  method: 'initialize',
  params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
};

/** Initializes and returns the session id. */
export async function initialize(mount: McpMount, options: MountRequestOptions = {}): Promise<string> {
  const response = await ask(mount, INITIALIZE, options);
  await response.text();
  const session = response.headers.get('mcp-session-id') ?? '';
  await ask(mount, { method: 'notifications/initialized' }, { ...options, session });
  return session;
}

/** One event: a message, and the id to resume from. */
export type ReceivedEvent = JsonObject & { lastEventId?: string };

/** The messages of a stream as they arrive; reading ends with the stream or with `stop`. */
export function readMessages(response: Response): {
  next(): Promise<ReceivedEvent | undefined>;
  stop(): Promise<void>;
} {
  const body: ReadableStream<Uint8Array> = response.body ?? new ReadableStream<Uint8Array>();
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  return {
    async next() {
      for (;;) {
        const end = text.indexOf('\n\n');
        if (end >= 0) {
          const event = text.slice(0, end);
          text = text.slice(end + 2);
          const data = parseJson(/^data: (.+)$/m.exec(event)?.[1] ?? '');
          if (data.ok && isJsonObject(data.value))
            return { ...data.value, lastEventId: /^id: (.+)$/m.exec(event)?.[1] ?? '' };
          if (event.includes('id: ')) return { lastEventId: /^id: (.+)$/m.exec(event)?.[1] ?? '' };
          continue;
        }
        const { done, value } = await reader.read();
        if (done) return undefined;
        text += decoder.decode(value, { stream: true });
      }
    },
    stop: () => reader.cancel(),
  };
}

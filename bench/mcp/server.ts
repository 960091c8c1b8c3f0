// A server of the official package with two tools that do nothing and one that takes a while: over stdio, or over HTTP with a port.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { NodeStreamableHTTPServerTransport } from '@modelcontextprotocol/node';
import { McpServer } from '@modelcontextprotocol/server';
import { StdioServerTransport } from '@modelcontextprotocol/server/stdio';
import { z } from 'zod';

const place = z.object({
  name: z.string(),
  tides: z.array(z.object({ at: z.string(), height: z.number(), kind: z.enum(['high', 'low']) })),
  next: z.object({ at: z.string(), height: z.number() }).optional(),
});

/** Duration of the slow tool. */
const PAUSE_MS = 20;

function create(): McpServer {
  const server = new McpServer({ name: 'bench', version: '1.0.0' });
  server.registerTool('echo', { inputSchema: z.object({ message: z.string() }) }, ({ message }) => ({
    content: [{ type: 'text', text: message }],
  }));
  server.registerTool('pause', { inputSchema: z.object({ message: z.string() }) }, async ({ message }) => {
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    return { content: [{ type: 'text', text: message }] };
  });
  server.registerTool(
    'tides',
    { inputSchema: z.object({ message: z.string() }), outputSchema: place },
    ({ message }) => {
      const structuredContent = {
        name: message,
        tides: [0, 1, 2, 3].map((at) => ({
          at: `0${at}:00`,
          height: at,
          kind: at % 2 === 0 ? ('high' as const) : 'low',
        })),
      };
      return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
    },
  );
  return server;
}

if (process.send === undefined) await create().connect(new StdioServerTransport());
else {
  const sessions = new Map<string, NodeStreamableHTTPServerTransport>();
  const listening = createServer((request, response) => {
    const known = sessions.get(String(request.headers['mcp-session-id']));
    if (known !== undefined) return void known.handleRequest(request, response);
    const transport: NodeStreamableHTTPServerTransport = new NodeStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      enableJsonResponse: true,
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    void create()
      .connect(transport)
      .then(() => transport.handleRequest(request, response));
  }).listen(0, '127.0.0.1', () => {
    process.send?.({ url: `http://127.0.0.1:${(listening.address() as AddressInfo).port}/mcp` });
  });
  process.on('disconnect', () => process.exit(0));
}

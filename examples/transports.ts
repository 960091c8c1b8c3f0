// MCP servers over every transport, without a model: each one is connected, and its first tool is shown.
import type { ServerConfig } from '@toolyard/mcp-host';
import { McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { systemClock } from '@toolyard/protocol';

const { STDIO = 'npx -y @modelcontextprotocol/server-everything', HTTP, SSE, WEBSOCKET } = process.env;
const [command = '', ...args] = STDIO.split(' ');

const servers: ServerConfig[] = [
  { id: 'stdio', transport: { type: 'stdio', command, args } },
  // Streamable HTTP; a server that speaks only HTTP+SSE is found out.
  { id: 'http', transport: { type: 'http', url: HTTP ?? 'http://127.0.0.1:3001/mcp' } },
  {
    id: 'sse',
    transport: { type: 'sse', url: SSE ?? 'http://127.0.0.1:3002/sse', headers: { 'x-client': 'example' } },
  },
  { id: 'websocket', transport: { type: 'websocket', url: WEBSOCKET ?? 'ws://127.0.0.1:3003' } },
];

await using host = new McpHost({
  servers,
  createTransport: createNodeTransports({ fetch }),
  clock: systemClock,
  clientInfo: { name: 'example', version: '1.0.0' },
  // A program that runs once does not wait for servers that are not there.
  maxReconnects: 0,
});
await host.connectAll();
for (const { id, state, error } of host.health()) {
  const [first] = host.tools().filter(({ tool }) => tool.serverId === id);
  console.log(`${id}: ${state}, ${error?.message ?? first?.tool.name ?? 'no tools'}`);
}

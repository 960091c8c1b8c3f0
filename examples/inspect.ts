// Inspects an MCP server: what it offers, what that costs in every request, and what its author could improve.
import { inspectServer } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { systemClock } from '@toolyard/protocol';

const { MCP_SERVER = 'npx -y @modelcontextprotocol/server-everything' } = process.env;
const [command = '', ...args] = MCP_SERVER.split(' ');

const report = await inspectServer({
  config: { id: 'server', transport: { type: 'stdio', command, args } },
  createTransport: createNodeTransports({ fetch }),
  clock: systemClock,
  clientInfo: { name: 'example', version: '1.0.0' },
});
if (!report.ok) console.log(`failed: ${report.error?.message ?? 'unknown reason'}`);
console.log(`${report.serverInfo?.name ?? 'unknown'}, MCP ${report.protocolVersion ?? 'unknown'}`);
console.log(`${report.tools.length} tools, ${report.tokens} tokens`);
for (const { name, tokens, readOnly } of report.tools)
  console.log(`  ${name} ${tokens}${readOnly ? ' read-only' : ''}`);
for (const { level, about, text } of report.findings) console.log(`  ${level}: ${about ?? 'server'}: ${text}`);

// A legacy plugin or an OpenAPI document as an MCP server: its operations are tools.
import { McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import { systemClock } from '@toolyard/protocol';

const { PLUGIN_URL = 'http://127.0.0.1:8000/openapi.json' } = process.env;

await using host = new McpHost({
  servers: [{ id: 'plugin', transport: { type: 'plugin', url: PLUGIN_URL } }],
  createTransport: createNodeTransports({ fetch }),
  clock: systemClock,
  clientInfo: { name: 'example', version: '1.0.0' },
});
await host.connect('plugin');
for (const { name, description } of host.tools()) console.log(`${name}: ${description ?? ''}`);

const [first] = host.tools();
if (first) {
  const { outcome, content } = await host.callTool(first.tool, { city: 'Tokyo' });
  console.log(outcome, JSON.stringify(content));
}

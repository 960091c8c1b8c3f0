// A model that uses the tools of an MCP server.
import { createAgent } from '@toolyard/agent-host/node';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;
const { MCP_SERVER = 'npx -y @modelcontextprotocol/server-everything' } = process.env;
const [command = '', ...args] = MCP_SERVER.split(' ');

await using agent = await createAgent({
  model: { baseUrl: BASE_URL, apiKey: API_KEY, id: MODEL },
  servers: [{ id: 'tools', transport: { type: 'stdio', command, args } }],
  allow: ['tools/*'],
});
for (const tool of agent.tools) console.log(`offers ${tool.name}`);

const { text, calls } = await agent.run(process.argv[2] ?? 'What time is it in Tokyo?').result;
for (const { call, result } of calls) console.log(`called ${call.name}: ${result.outcome}`);
console.log(text);

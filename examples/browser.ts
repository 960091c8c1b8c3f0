// An agent in a page, without a server of ours. Bundle it and open it with the settings in the URL:
//   npx rolldown examples/browser.ts --platform browser --file agent.js
//   echo '<body><script type="module" src="agent.js"></script>' > agent.html
//   agent.html?baseUrl=http://127.0.0.1:8080&model=qwen3&server=http://127.0.0.1:3001/mcp
// The model server and the MCP server must allow the origin of the page (CORS).
import type { Platform } from '@toolyard/agent-host';
import { createAgent, createUuidSource } from '@toolyard/agent-host';
import { createWebTransports, platformWebSocket } from '@toolyard/mcp-host';
import { systemClock } from '@toolyard/protocol';

// A project for the web has these among its types (lib "dom").
declare const location: { search: string };
declare const document: { body: { append(text: string): void } };

const settings = new URLSearchParams(location.search);
const server = settings.get('server');
const webFetch: Platform['fetch'] = (url, init) => fetch(url, init);

await using agent = await createAgent(
  {
    model: { baseUrl: settings.get('baseUrl') ?? 'http://127.0.0.1:8080', id: settings.get('model') ?? 'qwen3' },
    servers: server === null ? [] : [{ id: 'tools', transport: { type: 'http', url: server } }],
    allow: ['tools/*'],
  },
  {
    fetch: webFetch,
    createTransport: createWebTransports({ fetch: webFetch, openWebSocket: platformWebSocket }),
    clock: systemClock,
    ids: createUuidSource(),
  },
);
for await (const event of agent.run(settings.get('question') ?? 'What time is it in Tokyo?')) {
  if (event.type === 'tool_started') document.body.append(`[${event.name}] `);
  if (event.type === 'text_delta') document.body.append(event.text);
}

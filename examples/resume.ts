// A run that survives its process: kill this program at any time and start it again.
import { setTimeout as sleep } from 'node:timers/promises';
import { tool } from '@toolyard/agent-host';
import { createAgent, createFileStore } from '@toolyard/agent-host/node';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;
const { STORE = 'agent.json', SECONDS = '5' } = process.env;

const wash = tool({
  name: 'wash',
  description: 'Washes the dishes. Takes a while.',
  inputSchema: { type: 'object', properties: {} },
  execute: async (_args, { signal }) => {
    console.log('washes the dishes');
    await sleep(Number(SECONDS) * 1_000, undefined, { signal });
    return 'The dishes are clean.';
  },
});

await using agent = await createAgent({
  model: { baseUrl: BASE_URL, apiKey: API_KEY, id: MODEL },
  tools: [wash],
  allow: ['functions/wash'],
  store: createFileStore(STORE),
});
if (agent.isInterrupted) console.log('resumes the run');
const run = agent.isInterrupted ? agent.continue() : agent.run('Wash the dishes, then tell me a story about them.');
for await (const event of run) {
  if (event.type === 'tool_finished') console.log(`${event.message.name}: ${event.result.outcome}`);
  if (event.type === 'text_delta') process.stdout.write(event.text);
}
console.log(`\n${(await run.result).status}`);

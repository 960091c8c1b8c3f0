// A run with limits: it ends at a budget, unless the user raises it. What it has done until then is kept.
import { RunFailed, tool } from '@toolyard/agent-host';
import { createAgent } from '@toolyard/agent-host/node';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;

const count = tool({
  name: 'count',
  description: 'Counts up by one.',
  inputSchema: { type: 'object', properties: {} },
  annotations: { readOnly: true, openWorld: false },
  execute: () => 'counted',
});

await using agent = await createAgent({
  model: { baseUrl: BASE_URL, apiKey: API_KEY, id: MODEL },
  tools: [count],
  limits: { maxTurns: 10, maxWallTimeMs: 60_000 },
  budgets: [{ of: 'run', calls: 2 }],
  askBudget: ({ budget, spent }) => {
    console.log(`budget of a ${budget.of} exhausted: ${spent.calls} requests`);
    return Promise.resolve({ decision: 'stop' });
  },
});
try {
  console.log((await agent.run('Count to a thousand, one by one.').result).text);
} catch (error) {
  if (!(error instanceof RunFailed)) throw error;
  console.log(`${error.code}, after ${error.partial.calls.length} calls and ${error.partial.turns} turns`);
}

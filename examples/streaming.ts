// Shows an answer while the model writes it, and stops a run that writes too much.
import { createAgent } from '@toolyard/agent-host/node';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;
const LONGEST = 2_000;

await using agent = await createAgent({ model: { baseUrl: BASE_URL, apiKey: API_KEY, id: MODEL } });
const run = agent.run('Tell me a story about a lighthouse.');
let length = 0;
for await (const event of run) {
  if (event.type === 'reasoning_delta') process.stderr.write(event.text);
  if (event.type !== 'text_delta') continue;
  process.stdout.write(event.text);
  length += event.text.length;
  if (length > LONGEST) run.cancel();
}
const { status, usage } = await run.result;
console.log(`\n${status}, ${usage.outputTokens ?? 'unknown'} output tokens`);

// An agent that gives questions to other agents, which work at the same time, each with a conversation of its own.
import { tool } from '@toolyard/agent-host';
import { createAgent } from '@toolyard/agent-host/node';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;
const model = { baseUrl: BASE_URL, apiKey: API_KEY, id: MODEL };

const askExperts = tool({
  name: 'ask_experts',
  description: 'Asks an expert for each question. Returns the answers in the order of the questions.',
  inputSchema: {
    type: 'object',
    properties: { questions: { type: 'array', items: { type: 'string' } } },
    required: ['questions'],
  } as const,
  annotations: { readOnly: true, openWorld: false },
  // The signal also ends the experts if the run is cancelled.
  execute: ({ questions }, { signal }) => Promise.all(questions.map((question) => askExpert(question, signal))),
});

async function askExpert(question: string, signal: AbortSignal): Promise<string> {
  await using expert = await createAgent({ model, instructions: 'Answer in one sentence.', limits: { maxTurns: 5 } });
  const { text } = await expert.run(question, { signal }).result;
  console.log(`expert: ${text}`);
  return text;
}

await using agent = await createAgent({ model, tools: [askExperts] });
const { text, turns } = await agent.run('Which is longer, the Rhine or the Elbe? Ask two experts.').result;
console.log(`${text} (${turns} turns)`);

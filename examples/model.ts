// One model request without an agent: streamed in the parts that every API format is translated to.
import { createModelRuntime } from '@toolyard/model-runtime';
import { systemClock } from '@toolyard/protocol';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;

const runtime = createModelRuntime({
  // Or openai-responses, anthropic-messages, google-gemini, bedrock-converse.
  wire: 'openai-chat',
  baseUrl: BASE_URL,
  apiKey: API_KEY,
  fetch,
  clock: systemClock,
  newId: () => crypto.randomUUID(),
});
console.log((await runtime.models()).map(({ id }) => id).join(', '));

const question = 'What is the capital of Japan?';
const answer = runtime.chat({
  model: MODEL,
  messages: [{ id: 'a', parentId: null, createdAt: 0, role: 'user', parts: [{ type: 'text', text: question }] }],
  tools: [],
  toolChoice: 'auto',
  toolMode: 'native',
  parameters: { temperature: 0 },
});
for await (const batch of answer) {
  for (const part of batch) {
    if (part.type === 'text') process.stdout.write(part.text);
    if (part.type === 'finish') console.log(`\nfinished: ${part.reason}`);
    if (part.type === 'error') console.log(`failed: ${part.error.message}`);
  }
}

// A function as a tool. It is not read-only, so each call needs an approval; this program approves small amounts.
import { tool } from '@toolyard/agent-host';
import { createAgent } from '@toolyard/agent-host/node';

const { BASE_URL = 'http://127.0.0.1:8080', API_KEY = '', MODEL = 'qwen3' } = process.env;

const pay = tool({
  name: 'pay',
  description: 'Pays an amount in euros.',
  inputSchema: {
    type: 'object',
    properties: { to: { type: 'string' }, amount: { type: 'number' } },
    required: ['to', 'amount'],
  } as const,
  execute: ({ to, amount }) => {
    console.log(`paid ${amount} to ${to}`);
    return `${to} has received ${amount} euros.`;
  },
});

await using agent = await createAgent({
  model: { baseUrl: BASE_URL, apiKey: API_KEY, id: MODEL },
  tools: [pay],
  approve: (request) => {
    const isSmall = Number(request.arguments['amount']) < 100;
    console.log(`${isSmall ? 'approves' : 'denies'} ${request.tool.name} ${JSON.stringify(request.arguments)}`);
    return Promise.resolve({ decision: isSmall ? 'approve' : 'refuse', scope: 'once' });
  },
});
const { text } = await agent.run('Pay 20 euros to Ada and 500 euros to Bob.').result;
console.log(text);

import { Agent, OpenAIChatCompletionsModel, Runner, setTracingDisabled, tool } from '@openai/agents';
import OpenAI from 'openai';
import type { StartContender } from '../../harness/contender.ts';
import { connectBareServer } from '../bare-server.ts';
import { modelName, PROMPT } from '../../mock-model/texts.ts';
import { readVersion } from '../../harness/version-of.ts';

const MAX_TURNS = 20;

export const start: StartContender = async ({ baseUrl, server }) => {
  setTracingDisabled(true);
  const mcp = await connectBareServer(server);
  const client = new OpenAI({ baseURL: baseUrl, apiKey: 'none', maxRetries: 0 });
  const runner = new Runner({ tracingDisabled: true });
  const tools = mcp.tools.map(({ name, description, inputSchema: { properties, required, ...rest } }) =>
    tool({
      name,
      description,
      strict: false,
      parameters: {
        ...rest,
        properties: (properties ?? {}) as Record<string, never>,
        required: (required ?? []) as string[],
        additionalProperties: true,
      },
      execute: (args) => mcp.call(name, args as Record<string, unknown>),
    }),
  );
  const agents = new Map<number, Agent>();
  function agentFor(calls: number): Agent {
    const known = agents.get(calls);
    if (known) return known;
    const model = new OpenAIChatCompletionsModel(client, modelName(calls));
    const agent = new Agent({ name: 'bench', instructions: mcp.instructions, model, tools });
    agents.set(calls, agent);
    return agent;
  }

  return {
    version: readVersion('@openai/agents'),
    async run(calls) {
      const result = await runner.run(agentFor(calls), PROMPT, { stream: true, maxTurns: MAX_TURNS });
      let answer = '';
      for await (const event of result) {
        if (event.type !== 'raw_model_stream_event') continue;
        if (event.data.type === 'response_started') answer = '';
        else if (event.data.type === 'output_text_delta') answer += event.data.delta;
      }
      await result.completed;
      return answer;
    },
    close: mcp.close,
  };
};

import type { AgentTool } from '@mariozechner/pi-agent-core';
import { Agent } from '@mariozechner/pi-agent-core';
import type { StartContender } from '../../harness/contender.ts';
import { connectBareServer } from '../bare-server.ts';
import { modelName, PROMPT } from '../../mock-model/texts.ts';
import { readVersion } from '../../harness/version-of.ts';
import { modelAt } from '../pi-model.ts';

export const start: StartContender = async ({ baseUrl, server }) => {
  const mcp = await connectBareServer(server);
  const tools = mcp.tools.map(({ name, description, inputSchema }): AgentTool => ({
    name,
    label: name,
    description,
    parameters: inputSchema,
    execute: async (_callId, args) => ({
      content: [{ type: 'text', text: await mcp.call(name, args as Record<string, unknown>) }],
      details: undefined,
    }),
  }));
  const agent = new Agent({ getApiKey: () => 'none', initialState: { systemPrompt: mcp.instructions, tools } });
  let answer = '';
  agent.subscribe((event) => {
    if (event.type === 'message_start' && event.message.role === 'assistant') answer = '';
    else if (event.type === 'message_update' && event.assistantMessageEvent.type === 'text_delta') {
      answer += event.assistantMessageEvent.delta;
    }
  });

  return {
    version: readVersion('@mariozechner/pi-agent-core'),
    async run(calls) {
      agent.reset();
      agent.state.model = modelAt(baseUrl, modelName(calls));
      await agent.prompt(PROMPT);
      if (agent.state.errorMessage !== undefined) throw new Error(agent.state.errorMessage);
      return answer;
    },
    close: mcp.close,
  };
};

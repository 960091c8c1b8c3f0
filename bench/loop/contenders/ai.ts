import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import type { ToolSet } from 'ai';
import { dynamicTool, isStepCount, jsonSchema, streamText } from 'ai';
import type { StartContender } from '../../harness/contender.ts';
import { connectBareServer } from '../bare-server.ts';
import { modelName, PROMPT } from '../../mock-model/texts.ts';
import { readVersion } from '../../harness/version-of.ts';

const MAX_STEPS = 20;

export const start: StartContender = async ({ baseUrl, server }) => {
  const mcp = await connectBareServer(server);
  const provider = createOpenAICompatible({ name: 'bench', baseURL: baseUrl, includeUsage: true });
  const tools: ToolSet = Object.fromEntries(
    mcp.tools.map(({ name, description, inputSchema }) => [
      name,
      dynamicTool({
        description,
        inputSchema: jsonSchema(inputSchema),
        execute: (args) => mcp.call(name, args as Record<string, unknown>),
      }),
    ]),
  );

  return {
    version: readVersion('ai'),
    async run(calls) {
      const { fullStream } = streamText({
        model: provider.chatModel(modelName(calls)),
        instructions: mcp.instructions,
        prompt: PROMPT,
        tools,
        stopWhen: isStepCount(MAX_STEPS),
        maxRetries: 0,
        // Thrown below; by default it is also printed.
        onError: () => {},
      });
      let answer = '';
      for await (const part of fullStream) {
        if (part.type === 'start-step') answer = '';
        else if (part.type === 'text-delta') answer += part.text;
        else if (part.type === 'error') throw part.error;
      }
      return answer;
    },
    close: mcp.close,
  };
};

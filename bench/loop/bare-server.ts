import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Setting } from '../harness/contender.ts';

export type BareTool = { name: string; description: string; inputSchema: { type: 'object'; [key: string]: unknown } };

/** server-everything over the bare SDK; all contenders except Toolyard use it for tool calls. */
export type BareServer = {
  tools: BareTool[];
  /** Instructions of the server, part of every system message. */
  instructions: string;
  /** The text of the result. */
  call(name: string, args: Record<string, unknown>): Promise<string>;
  close: () => Promise<void>;
};

/** Starts the server, initializes it and lists its tools. */
export async function connectBareServer({ command, args }: Setting['server']): Promise<BareServer> {
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
  const { tools } = await client.listTools();
  return {
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description: description ?? '', inputSchema })),
    instructions: client.getInstructions() ?? '',
    async call(name, callArguments) {
      const { content } = await client.callTool({ name, arguments: callArguments });
      let text = '';
      for (const part of content) if (part.type === 'text') text += part.text;
      return text;
    },
    close: () => client.close(),
  };
}

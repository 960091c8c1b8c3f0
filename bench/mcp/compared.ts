import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { ServerRequestHandlers } from '../../packages/mcp-host/src/index.ts';
import type { JsonObject } from '../../packages/protocol/src/index.ts';
import type { Figure } from '../harness/figure.ts';
import { startPeer } from '../harness/process.ts';
import { checkReady, makeHost, OVER_STDIO } from './host.ts';

const START_MS = 20_000;

type Call = { tool: string; message: string; chat?: string };

/** Makes one call. @throws Error for a wrong result */
export type MakeCall = (call: Call) => Promise<void>;

/** The bare SDK and the host, each connected to its own server. */
export type Compared = { over: 'stdio' | 'HTTP'; bare: MakeCall; hosted: MakeCall };

/** Measures the host compared with the bare SDK, over stdio and over HTTP. */
export async function comparedWithSdk(
  measure: (compared: Compared) => Promise<Figure[]>,
  handlers: ServerRequestHandlers = {},
): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const over of ['stdio', 'HTTP'] as const) {
    await using stack = new AsyncDisposableStack();
    const client = new Client({ name: 'bench', version: '1.0.0' });
    stack.defer(() => client.close());
    const { command, args = [] } = OVER_STDIO;
    const urls = over === 'stdio' ? null : [await startHttpServer(stack), await startHttpServer(stack)];
    await client.connect(
      urls
        ? new StreamableHTTPClientTransport(new URL(urls[0] ?? ''))
        : new StdioClientTransport({ command, args, stderr: 'ignore' }),
    );
    const transport = urls ? { type: 'http' as const, url: urls[1] ?? '' } : OVER_STDIO;
    const host = stack.use(makeHost([{ id: 'bench', transport }], handlers));
    await host.connectAll();
    checkReady(host);
    await client.listTools();
    figures.push(
      ...(await measure({
        over,
        async bare({ tool, message }) {
          const { content, structuredContent } = await client.callTool({ name: tool, arguments: { message } });
          check({ tool, message }, content[0], structuredContent);
        },
        async hosted({ tool, message, chat }) {
          const caller = chat === undefined ? {} : { caller: { principal: 'bench', conversationId: chat } };
          const result = await host.callTool({ serverId: 'bench', name: tool }, { message }, caller);
          if (result.outcome !== 'done') throw new Error(JSON.stringify(result.content));
          check({ tool, message }, result.content[0], result.structured);
        },
      })),
    );
  }
  return figures;
}

async function startHttpServer(stack: AsyncDisposableStack): Promise<string> {
  const { url } = await stack.use(startPeer<string, { url: string }>('mcp/server.ts')).hear(START_MS);
  return url;
}

function check({ tool, message }: Call, part: { type: string } | undefined, structured: unknown): void {
  const text = part !== undefined && 'text' in part ? part.text : '';
  const isRight = tool === 'tides' ? (structured as JsonObject | undefined)?.['name'] === message : text === message;
  if (!isRight) throw new Error(`wrong result of ${tool}`);
}

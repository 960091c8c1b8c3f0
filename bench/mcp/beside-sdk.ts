import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { McpHost, QuestionHandlers } from '../../packages/mcp-host/src/index.ts';
import type { Finding } from '../support/finding.ts';
import { startPeer } from '../support/process.ts';
import { checkReady, makeHost, OVER_STDIO } from './host.ts';

const START_MS = 20_000;

/** The bare SDK and the host, connected to a server each. */
export type Contenders = { over: 'stdio' | 'HTTP'; client: Client; host: McpHost };

/** Measures the host (its server is called "bench") beside the bare SDK, over stdio and over HTTP. */
export async function besideBareSdk(
  measure: (contenders: Contenders) => Promise<Finding[]>,
  handlers: QuestionHandlers = {},
): Promise<Finding[]> {
  return [...(await overStdio(measure, handlers)), ...(await overHttp(measure, handlers))];
}

async function overStdio(
  measure: (contenders: Contenders) => Promise<Finding[]>,
  handlers: QuestionHandlers,
): Promise<Finding[]> {
  const { command, args = [] } = OVER_STDIO;
  const client = new Client({ name: 'bench', version: '1.0.0' });
  await client.connect(new StdioClientTransport({ command, args, stderr: 'ignore' }));
  await using host = makeHost([{ id: 'bench', transport: OVER_STDIO }], handlers);
  await host.connectAll();
  checkReady(host);
  const found = await measure({ over: 'stdio', client, host });
  await client.close();
  return found;
}

async function overHttp(
  measure: (contenders: Contenders) => Promise<Finding[]>,
  handlers: QuestionHandlers,
): Promise<Finding[]> {
  const servers = [0, 1].map(() => startPeer<string, { url: string }>('mcp/server.ts'));
  try {
    const [bare, pooled] = await Promise.all(servers.map((server) => server.hear(START_MS)));
    if (bare === undefined || pooled === undefined) throw new Error('no server');
    const client = new Client({ name: 'bench', version: '1.0.0' });
    await client.connect(new StreamableHTTPClientTransport(new URL(bare.url)));
    await using host = makeHost([{ id: 'bench', transport: { type: 'http', url: pooled.url } }], handlers);
    await host.connectAll();
    checkReady(host);
    const found = await measure({ over: 'HTTP', client, host });
    await client.close();
    return found;
  } finally {
    await Promise.all(servers.map((server) => server.end()));
  }
}

import type { Transport } from '@modelcontextprotocol/client';
import { buildContext } from '../../packages/agent-runtime/src/index.ts';
import { McpHost } from '../../packages/mcp-host/src/index.ts';
import { createNodeTransports } from '../../packages/mcp-host/src/node/index.ts';
import type { Message } from '../../packages/protocol/src/index.ts';
import { systemClock } from '../../packages/protocol/src/index.ts';
import { toolsJson } from '../../packages/model-runtime/src/openai-chat/tools.ts';
import type { Bench } from '../harness/bench.ts';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import { quantile } from '../harness/quantile.ts';
import { checkReady } from './host.ts';

const TOOLS = 10_000;
const ANNOUNCEMENTS = 200;
const QUIET_MS = 1_500;
const SERVER = 'many';

const USER_MESSAGE: Message = {
  id: 'q',
  parentId: null,
  createdAt: 0,
  role: 'user',
  parts: [{ type: 'text', text: 'When is high water?' }],
};

/** A server with ten thousand tools in this process: cost per turn, and of a burst of list changes. */
export async function measureTools({ options, say }: Bench): Promise<Figure[]> {
  const turns = options.quick ? 200 : 2_000;
  let lists = 0;
  let announce = (): void => undefined;
  await using host = new McpHost({
    servers: [{ id: SERVER, transport: { type: 'in-memory', name: SERVER } }],
    createTransport: createNodeTransports({
      fetch: (input, init) => fetch(input, init),
      inMemory: {
        [SERVER]: (transport) => {
          announce = () => void transport.send({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' });
          return serve(transport, () => lists++);
        },
      },
    }),
    clock: systemClock,
    clientInfo: { name: 'bench', version: '1.0.0' },
  });
  await host.connectAll();
  checkReady(host);
  const view = host.select(new Set([SERVER]), ({ name }) => name.endsWith('7'));
  const sources = { serverInstructions: [{ serverId: SERVER, text: 'Heights are in metres.' }] };

  /** The work of a turn before its request, except for message text. */
  const assemble = (): number => {
    const begun = performance.now();
    const tools = view.tools();
    const json = toolsJson(tools);
    buildContext([USER_MESSAGE], sources);
    const took = performance.now() - begun;
    if (tools.length !== TOOLS * 0.9 || json.length < TOOLS * 50) throw new Error('not all tools are there');
    return took;
  };

  say(`${String(TOOLS)} tools, ${String(turns)} turns`);
  const firstMs = assemble();
  const laterMs = Array.from({ length: turns }, assemble);

  lists = 0;
  for (let time = 0; time < ANNOUNCEMENTS; time++) announce();
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  return [
    figure('10,000 tools: the first turn after a change', firstMs, 'ms'),
    sampled('10,000 tools: every other turn, median', laterMs, 'ms', {
      atMost: 1,
      of: { turns, p99: quantile(laterMs, 0.99) },
    }),
    figure('200 announcements of a change: lists asked for', lists, '', { atMost: 1 }),
  ];
}

type Asked = { id?: number | string; method?: string; params?: { cursor?: string } };

/** Hand-written, because the official server would build a schema for each tool. */
async function serve(transport: Transport, onList: () => void): Promise<void> {
  const tools = Array.from({ length: TOOLS }, (_, at) => ({
    name: `tide_${String(at)}`,
    description: `Tells the height of the tide at station ${String(at)}, in metres above chart datum.`,
    inputSchema: {
      type: 'object',
      properties: { at: { type: 'string', description: 'ISO 8601' }, unit: { enum: ['m', 'ft'] } },
      required: ['at'],
    },
  }));
  transport.onmessage = (message) => {
    const { id, method } = message as Asked;
    if (id === undefined) return;
    const serverInfo = { name: SERVER, version: '1.0.0' };
    const capabilities = { tools: { listChanged: true } };
    if (method === 'tools/list') onList();
    const known: Record<string, object> = {
      initialize: { protocolVersion: '2025-11-25', capabilities, serverInfo },
      'tools/list': { tools },
      ping: {},
    };
    const result = known[method ?? ''];
    const error = { code: -32_601, message: 'Method not found' };
    void transport.send({ jsonrpc: '2.0', id, ...(result === undefined ? { error } : { result }) } as never);
  };
  await transport.start();
}

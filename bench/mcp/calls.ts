import type { Client } from '@modelcontextprotocol/client';
import type { McpHost } from '../../packages/mcp-host/src/index.ts';
import type { JsonObject } from '../../packages/protocol/src/index.ts';
import { say } from '../support/command.ts';
import type { Finding } from '../support/finding.ts';
import { median, quartiles } from '../support/quantile.ts';
import { besideBareSdk } from './beside-sdk.ts';
import type { Options } from './options.ts';

const WARM_UP = 1_000;
/** What a call may cost beside the bare SDK's, in microseconds. */
const AIMS = { echo: 50, tides: 150 } as const;
type Tool = keyof typeof AIMS;

/** Makes one call and throws unless its answer is right. */
type MakeCall = (tool: Tool, message: string) => Promise<void>;

/** One call through the host beside one through the bare SDK, again and again, each with a server of its own. */
export function measureCalls({ quick }: Options): Promise<Finding[]> {
  const calls = quick ? 1_000 : 10_000;
  return besideBareSdk(async ({ over, client, host }) => {
    await client.listTools();
    return compare(over, calls, bareCall(client), hostCall(host));
  });
}

function bareCall(client: Client): MakeCall {
  return async (name, message) => {
    const { content, structuredContent } = await client.callTool({ name, arguments: { message } });
    const [part] = content;
    check(name, message, part?.type === 'text' ? part.text : '', structuredContent as JsonObject | undefined);
  };
}

function hostCall(host: McpHost): MakeCall {
  return async (name, message) => {
    const { content, structured, outcome } = await host.callTool({ serverId: 'bench', name }, { message });
    const [part] = content;
    if (outcome !== 'done') throw new Error(JSON.stringify(content));
    check(name, message, part?.type === 'text' ? part.text : '', structured as JsonObject | undefined);
  };
}

function check(tool: Tool, message: string, text: string, structured: JsonObject | undefined): void {
  const isRight = tool === 'echo' ? text === message : structured?.['name'] === message;
  if (!isRight) throw new Error(`a call of ${tool} was answered wrongly`);
}

async function compare(over: string, calls: number, bare: MakeCall, pooled: MakeCall): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const tool of ['echo', 'tides'] as const) {
    say(`calls: ${tool} over ${over}`);
    const bareUs: number[] = [];
    const addedUs: number[] = [];
    for (let round = -WARM_UP; round < calls; round++) {
      // Who comes first changes: nobody always finds the caches warmed by the other.
      const first = round % 2 === 0 ? bare : pooled;
      const one = await microseconds(first, tool, round);
      const other = await microseconds(first === bare ? pooled : bare, tool, round);
      if (round < 0) continue;
      const ofBare = first === bare ? one : other;
      bareUs.push(ofBare);
      addedUs.push(one + other - 2 * ofBare);
    }
    found.push({
      part: 'calls',
      measure: `what the host adds to a call over ${over}, ${tool === 'echo' ? 'no output schema' : 'with output schema'}`,
      value: median(addedUs),
      unit: 'µs',
      quartiles: quartiles(addedUs),
      atMost: AIMS[tool],
      of: { calls, bareMedian: median(bareUs) },
    });
  }
  return found;
}

async function microseconds(call: MakeCall, tool: Tool, round: number): Promise<number> {
  const begun = performance.now();
  await call(tool, `round ${round}`);
  return (performance.now() - begun) * 1_000;
}

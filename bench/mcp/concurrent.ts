import type { Client } from '@modelcontextprotocol/client';
import type { McpHost } from '../../packages/mcp-host/src/index.ts';
import { say } from '../support/command.ts';
import type { Finding } from '../support/finding.ts';
import { median, quartiles } from '../support/quantile.ts';
import { besideBareSdk } from './beside-sdk.ts';
import type { Options } from './options.ts';

const CHATS = 50;
const WARM_UP = 3;
/**
 * The time of the host as a multiple of the bare SDK's: with a tool that takes 20 ms, under 5 % of throughput may be lost.
 * With one that takes none, all there is to measure is the processor time of a call.
 */
const TOOLS = [
  { name: 'pause', calls: 10, atMost: 1.05 },
  { name: 'echo', calls: 20 },
] as const;
type Tool = (typeof TOOLS)[number];

/** Makes one call of a chat and throws unless its answer is right. */
type MakeCall = (tool: Tool['name'], chat: number, message: string) => Promise<void>;

/** Fifty chats that call one server at the same time, through the host and through the bare SDK. */
export function measureConcurrent({ quick }: Options): Promise<Finding[]> {
  const rounds = quick ? 10 : 40;
  // As the server of Toolyard has it: servers may ask.
  return besideBareSdk(({ over, client, host }) => compare(over, rounds, bareCall(client), hostCall(host)), {
    form: () => Promise.resolve({ action: 'cancel' }),
  });
}

function bareCall(client: Client): MakeCall {
  return async (name, _chat, message) => {
    const { content } = await client.callTool({ name, arguments: { message } });
    check(content[0], message);
  };
}

function hostCall(host: McpHost): MakeCall {
  return async (name, chat, message) => {
    const caller = { principal: 'bench', conversationId: String(chat) };
    const { content } = await host.callTool({ serverId: 'bench', name }, { message }, { caller });
    check(content[0], message);
  };
}

function check(part: { type: string } | undefined, message: string): void {
  const isRight = part !== undefined && 'text' in part && part.text === message;
  if (!isRight) throw new Error('a call was answered wrongly');
}

async function compare(over: string, rounds: number, bare: MakeCall, pooled: MakeCall): Promise<Finding[]> {
  const found: Finding[] = [];
  for (const tool of TOOLS) {
    say(`concurrent: ${String(CHATS)} chats that call ${tool.name} over ${over}`);
    const ratios: number[] = [];
    const bareMs: number[] = [];
    for (let round = -WARM_UP; round < rounds; round++) {
      // Who comes first changes: nobody always finds the machine as the other has left it.
      const first = round % 2 === 0 ? bare : pooled;
      const one = await milliseconds(first, tool);
      const other = await milliseconds(first === bare ? pooled : bare, tool);
      if (round < 0) continue;
      const [ofBare, ofPooled] = first === bare ? [one, other] : [other, one];
      bareMs.push(ofBare);
      ratios.push(ofPooled / ofBare);
    }
    found.push({
      part: 'concurrent',
      measure: `${String(CHATS)} chats at once, a tool that takes ${tool.name === 'pause' ? '20 ms' : 'no time'}, over ${over}: times as long as the bare SDK`,
      value: median(ratios),
      unit: '',
      quartiles: quartiles(ratios),
      ...('atMost' in tool ? { atMost: tool.atMost } : {}),
      of: { calls: CHATS * tool.calls, bareMedianMs: median(bareMs) },
    });
  }
  return found;
}

async function milliseconds(call: MakeCall, { name, calls }: Tool): Promise<number> {
  const begun = performance.now();
  await Promise.all(
    Array.from({ length: CHATS }, async (_, chat) => {
      for (let at = 0; at < calls; at++) await call(name, chat, `chat ${String(chat)}, call ${String(at)}`);
    }),
  );
  return performance.now() - begun;
}

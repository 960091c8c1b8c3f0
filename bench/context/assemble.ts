import { assembleRequest } from '../../packages/agent-host/src/executors/assemble-request.ts';
import { createModelRuntime } from '@toolyard/model-runtime';
import type { Message, ToolDefinition } from '@toolyard/protocol';
import { systemClock, WIRES } from '@toolyard/protocol';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';

const MESSAGES = 5_000;
const TOOLS = 40;
const AT_MOST_MS = 10;

/** Measures the request of each turn of a growing conversation. */
export async function measureAssembling(rounds: number): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const wire of WIRES) {
    const conversation = longConversation();
    const cold = await requestMs(wire, conversation);
    const warm: Spent[] = [];
    for (let round = 0; round < rounds; round++) {
      conversation.push(...turn(conversation.length));
      warm.push(await requestMs(wire, conversation));
    }
    const whole = warm.map((spent) => spent.whole);
    const ours = warm.map((spent) => spent.ours);
    figures.push(
      sampled(`${wire}: ${MESSAGES} messages a turn later, what is to be sent`, ours, 'ms', { atMost: AT_MOST_MS }),
      sampled(`${wire}: the same as the body of the request`, whole, 'ms', { atMost: AT_MOST_MS }),
      figure(`${wire}: that, of messages never seen before`, cold.whole, 'ms'),
    );
  }
  return figures;
}

const tools = Array.from({ length: TOOLS }, (_each, index): ToolDefinition => ({
  tool: { serverId: 'files', name: `tool_${index}` },
  name: `tool_${index}`,
  description: 'Reads a file of a folder and gives what is in it, from one line to another.',
  inputSchema: { type: 'object', properties: { path: { type: 'string' }, from: { type: 'number' } } },
  builtIn: false,
}));
const sources = { serverInstructions: [{ serverId: 'files', text: 'Paths are absolute.' }], window: 1_000_000 };

/** `ours`: until the messages are assembled; `whole`: until the request body is serialized. */
type Spent = { ours: number; whole: number };

/** CPU time of this thread, which never waits; excludes other processes. */
function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

/** From the stored messages to the serialized request body. */
async function requestMs(wire: (typeof WIRES)[number], conversation: readonly Message[]): Promise<Spent> {
  let handedOver = 0;
  const runtime = createModelRuntime({
    wire,
    baseUrl: 'http://127.0.0.1:9/v1',
    clock: systemClock,
    maxRetries: 0,
    fetch: () => {
      handedOver = cpuMs();
      return Promise.resolve(Response.json({ error: { message: 'enough' } }, { status: 400 }));
    },
  });
  // The first request loads the code of the API format.
  await readAll(runtime.chat({ ...assembled(conversation.slice(0, 3)), model: 'warm' }));
  const from = cpuMs();
  const request = assembled(conversation);
  const ours = cpuMs() - from;
  await readAll(runtime.chat(request));
  return { ours, whole: handedOver - from };
}

function assembled(conversation: readonly Message[]) {
  return assembleRequest({
    model: 'scripted',
    conversation,
    sources,
    tools,
    toolChoice: 'auto',
    toolMode: 'native',
    parameters: {},
    at: 0,
    timeZone: 'UTC',
  }).request;
}

async function readAll(parts: AsyncIterable<unknown>): Promise<void> {
  for await (const part of parts) if (part === null) return;
}

function longConversation(): Message[] {
  const messages: Message[] = [
    { id: 's', parentId: null, createdAt: 0, role: 'system', parts: [{ type: 'text', text: 'Be brief.' }] },
  ];
  while (messages.length < MESSAGES) messages.push(...turn(messages.length));
  return messages;
}

/** A user message, a call, its result, an answer: about 500 tokens. */
function turn(at: number): Message[] {
  const base = (id: string) => ({ id: `${id}${at}`, parentId: null, createdAt: at });
  const assistant = { role: 'assistant', runId: 'r', model: 'scripted' } as const;
  const callId = `c${at}`;
  const text = 'What is to be read here is about as long as what people and models say. '.repeat(6);
  const result = { content: [{ type: 'text' as const, text }], isError: false, outcome: 'done' as const };
  return [
    { ...base('u'), role: 'user', parts: [{ type: 'text', text }] },
    {
      ...base('a'),
      ...assistant,
      finishReason: 'tool_calls',
      parts: [
        {
          type: 'tool_call',
          callId,
          name: 'tool_1',
          tool: { serverId: 'files', name: 'tool_1' },
          arguments: { path: '/a/file' },
        },
      ],
    },
    {
      ...base('t'),
      role: 'tool',
      name: 'tool_1',
      tool: { serverId: 'files', name: 'tool_1' },
      parts: [{ type: 'tool_result', callId, result }],
    },
    { ...base('b'), ...assistant, finishReason: 'stop', parts: [{ type: 'text', text }] },
  ];
}

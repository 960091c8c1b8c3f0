import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Message, RunEvent, ToolDefinition } from '@toolyard/protocol';
import type { ServerHealth } from '@toolyard/mcp-host';
import type { ModelServer } from '@toolyard/testing';
import { isAlive, processTreeOf, reply, startModelServer } from '@toolyard/testing';
import type { RunResult } from '../agent-run.ts';
import type { Agent } from '../agent.ts';
import { createAgent } from './index.ts';
import { eventsOf, sentBody, sentMessages } from './test-fixtures/test-agent.ts';

const USER_MESSAGE = '現在是幾點幾分？';
const ANSWER = '現在是下午2點30分';
const INSTRUCTIONS = 'Answer in the language of the question.';

/** A line that one side sent, parsed. */
type RecordedLine = { from: 'client' | 'server'; message: JsonObject };

const folder = mkdtempSync(join(tmpdir(), 'toolyard-message-'));
const recordFile = join(folder, 'record.jsonl');
const script = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

function record(): RecordedLine[] {
  const lines = readFileSync(recordFile, 'utf8').trimEnd().split('\n');
  return lines.map((text) => {
    const { from, line } = JSON.parse(text) as { from: RecordedLine['from']; line: string };
    return { from, message: JSON.parse(line) as JsonObject };
  });
}

/** The requests of a method, and the result of the last one. */
function exchange(method: string): { requests: JsonObject[]; result: JsonObject } {
  const recorded = record();
  const requests = recorded.filter(({ from, message }) => from === 'client' && message['method'] === method);
  const id = requests[0]?.message['id'];
  const answer = recorded.find(({ from, message }) => from === 'server' && message['id'] === id);
  expect(id, `a request ${method}`).toBeDefined();
  return { requests: requests.map(({ message }) => message), result: answer?.message['result'] as JsonObject };
}

/** The state when the agent was created, before the first run. */
type Setup = {
  messages: Message[];
  servers: ServerHealth[];
  tools: ToolDefinition[];
  record: RecordedLine[];
  children: number[];
};

let server: ModelServer;
let agent: Agent;
let setup: Setup;
let whenAsked: { messages: Message[]; requests: number };
let events: RunEvent[];
let result: RunResult;

/**
 * An agent whose server started in time. On a slow machine the version probe times out and the older protocol is used,
 * which is not tested here.
 */
async function agentInTime(): Promise<Agent> {
  const date = fileURLToPath(import.meta.resolve('@toolyard/server-date/bin'));
  const args = [script('./test-fixtures/relay.mjs'), recordFile, process.execPath, date];
  for (let attempt = 1; ; attempt++) {
    rmSync(recordFile, { force: true });
    const started = await createAgent({
      model: { baseUrl: server.url, id: 'scripted' },
      servers: [{ id: 'date', builtIn: true, transport: { type: 'stdio', command: process.execPath, args } }],
      instructions: INSTRUCTIONS,
    });
    const isLate = record().some(({ message }) => message['method'] === 'initialize');
    if (!isLate || attempt === 5) return started;
    await started.close();
  }
}

beforeAll(async () => {
  server = await startModelServer([
    reply.toolCalls([{ id: 'call_1', name: 'get-date', arguments: { format: 'locale' } }]),
    reply.text(ANSWER, { pieces: 2 }),
  ]);
  const before = new Set(processTreeOf(process.pid));
  agent = await agentInTime();
  setup = {
    messages: [...agent.messages],
    servers: [...agent.servers],
    tools: [...agent.tools],
    record: record(),
    children: processTreeOf(process.pid).filter((pid) => !before.has(pid)),
  };
  const run = agent.run(USER_MESSAGE);
  whenAsked = { messages: [...agent.messages], requests: server.requests.length };
  events = await eventsOf(run);
  result = await run.result;
});

afterAll(async () => {
  await agent.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

describe('creating an agent', () => {
  it(
    'starts the server as a child process, with the configured command and arguments',
    { tags: ['D1.08', 'D2.04', 'D2.09', 'D2.11', 'D7.05'] },
    () => {
      // The program in the arguments writes the record to the file in the arguments.
      expect(setup.record.length).toBeGreaterThan(0);
      expect(setup.children.length).toBeGreaterThanOrEqual(2);
      expect(setup.children).not.toContain(process.pid);
    },
  );

  it(
    'passes through the phases of connecting in order',
    {
      tags: [
        'D1.07',
        'D2.03',
        'D2.10',
        'D2.12',
        'D2.13',
        'D2.14',
        'D2.16',
        'D2.24',
        'D4.02',
        'D7.04',
        'M1.34',
        'M1.39',
        'M1.40',
        'M1.45',
        'M1.46',
        'M1.48',
        'M1.55',
      ],
    },
    () => {
      const log = setup.servers[0]?.log.filter(({ level }) => level === 'info') ?? [];
      expect(log.map(({ at }) => at)).toEqual(log.map(({ at }) => at).toSorted((a, b) => a - b));
      expect(log.map(({ text }) => text)).toEqual([
        'transport creating',
        'transport ready',
        'initializing',
        'capabilities exchanged',
        'listing',
        'connected',
      ]);
    },
  );

  it(
    'initializes over JSON-RPC before any other request',
    { tags: ['D1.16', 'D2.13', 'D2.14', 'M1.34', 'M1.47', 'M1.48'] },
    () => {
      const [greeting, answer, next] = setup.record;
      expect(greeting).toMatchObject({ from: 'client', message: { jsonrpc: '2.0', method: 'server/discover' } });
      expect(answer).toMatchObject({
        from: 'server',
        message: { jsonrpc: '2.0', id: greeting?.message['id'], result: { capabilities: { tools: {} } } },
      });
      expect(next).toMatchObject({ from: 'client', message: { method: 'tools/list' } });
    },
  );

  it(
    'lists the tools and identifies them by server and name',
    { tags: ['D1.04', 'D1.10', 'D2.16', 'D2.17', 'D2.18', 'D2.19', 'D9.02', 'M1.53', 'M1.54', 'M1.57'] },
    () => {
      const listed = exchange('tools/list').result['tools'] as JsonObject[];
      expect(listed.map(({ name }) => name)).toEqual(['get-date']);
      expect(setup.tools).toMatchObject([
        { tool: { serverId: 'date', name: 'get-date' }, name: 'get-date', inputSchema: listed[0]?.['inputSchema'] },
      ]);
    },
  );

  it(
    'resolves only when the server is connected and its tools are listed',
    {
      tags: [
        'D2.02',
        'D2.03',
        'D2.05',
        'D2.06',
        'D2.07',
        'D2.15',
        'D2.23',
        'D2.24',
        'D9.02',
        'D9.14',
        'M1.55',
        'M1.60',
      ],
    },
    () => {
      expect(setup.servers).toMatchObject([{ id: 'date', state: 'ready', phase: 'connected', toolCount: 1 }]);
      const listing = setup.record.findIndex(({ message }) => message['method'] === 'tools/list');
      expect(setup.record[listing + 1]).toMatchObject({ from: 'server', message: { result: { tools: [{}] } } });
    },
  );

  it('starts with an empty conversation after the instructions', { tags: ['D2.05', 'D2.21', 'D2.22'] }, () => {
    expect(setup.messages).toMatchObject([{ role: 'system', parts: [{ type: 'text', text: INSTRUCTIONS }] }]);
  });
});

describe('the first turn', () => {
  it(
    'adds the user message to the conversation before the model request',
    { tags: ['D1.11', 'D3.01', 'D3.02', 'D7.07'] },
    () => {
      expect(whenAsked.requests).toBe(0);
      expect(whenAsked.messages.map(({ role }) => role)).toEqual(['system', 'user']);
      expect(whenAsked.messages[1]).toMatchObject({ parts: [{ type: 'text', text: USER_MESSAGE }] });
    },
  );

  it(
    'is sent over HTTP with POST to /v1/chat/completions',
    {
      tags: [
        'C1.14',
        'C1.18',
        'C3.19',
        'C4.01',
        'C6.01',
        'C12.03',
        'D1.03',
        'D1.09',
        'D1.12',
        'D7.03',
        'D7.09',
        'D7.10',
      ],
    },
    () => {
      const { method, path } = server.requests[0] ?? {};
      expect({ method, path }).toEqual({ method: 'POST', path: '/v1/chat/completions' });
    },
  );

  it(
    'contains the conversation so far, with the user message unchanged',
    { tags: ['C1.03', 'C1.15', 'C4.02', 'C4.05', 'C4.08', 'D2.22', 'D3.01', 'D3.06', 'D7.06', 'D7.09', 'D7.11'] },
    () => {
      expect(sentMessages(server, 0)).toEqual([
        { role: 'system', content: INSTRUCTIONS },
        { role: 'user', content: USER_MESSAGE },
      ]);
    },
  );

  it(
    'contains the tools of the server as OpenAI functions',
    { tags: ['C4.03', 'D2.20', 'D3.07', 'D7.12', 'D9.02'] },
    () => {
      const [tool] = exchange('tools/list').result['tools'] as JsonObject[];
      expect(sentBody(server, 0)['tools']).toEqual([
        {
          type: 'function',
          function: { name: 'get-date', description: tool?.['description'], parameters: tool?.['inputSchema'] },
        },
      ]);
    },
  );

  it(
    'ends with the call in the conversation, as the model wrote it',
    {
      tags: [
        'D1.13',
        'D3.13',
        'D3.15',
        'D3.17',
        'D3.27',
        'D4.05',
        'D7.08',
        'D7.13',
        'D7.14',
        'D7.15',
        'D9.12',
        'M2.06',
        'M2.07',
        'M2.08',
        'M2.09',
      ],
    },
    () => {
      expect(agent.messages[2]).toMatchObject({
        role: 'assistant',
        finishReason: 'tool_calls',
        parts: [
          {
            type: 'tool_call',
            providerCallId: 'call_1',
            name: 'get-date',
            tool: { serverId: 'date', name: 'get-date' },
            arguments: { format: 'locale' },
          },
        ],
      });
    },
  );
});

describe('the call', () => {
  it(
    'is made once, over stdio, with the name and arguments of the model',
    {
      tags: [
        'C1.07',
        'C1.22',
        'C1.24',
        'C3.20',
        'C7.07',
        'C7.08',
        'C12.04',
        'D1.07',
        'D1.14',
        'D1.15',
        'D1.16',
        'D4.02',
        'D4.09',
        'D4.10',
        'D4.11',
        'D4.12',
        'D5.01',
        'D5.02',
        'D5.03',
        'D5.04',
        'D5.05',
        'D7.04',
        'D7.17',
        'D7.18',
        'D7.19',
        'D9.04',
        'D9.05',
        'D9.09',
        'M2.01',
        'M2.02',
        'M2.14',
      ],
    },
    () => {
      const { requests } = exchange('tools/call');
      expect(requests).toHaveLength(1);
      expect(requests[0]).toMatchObject({ jsonrpc: '2.0', params: { name: 'get-date' } });
      expect((requests[0]?.['params'] as JsonObject)['arguments']).toEqual({ format: 'locale' });
    },
  );

  it(
    'is answered by the server with typed content',
    {
      tags: [
        'D1.15',
        'D1.17',
        'D1.19',
        'D4.03',
        'D4.04',
        'D4.14',
        'D4.19',
        'D4.22',
        'D4.23',
        'D4.24',
        'D5.07',
        'D5.08',
        'D7.05',
        'D7.20',
        'D7.21',
        'D9.09',
        'M2.18',
      ],
    },
    () => {
      expect(exchange('tools/call').result).toMatchObject({
        content: [{ type: 'text', text: expect.stringMatching(/\d/) }],
        structuredContent: { format: 'locale' },
      });
    },
  );

  it(
    'returns everything that the server sent',
    {
      tags: [
        'C1.22',
        'C1.26',
        'D1.19',
        'D1.20',
        'D4.24',
        'D4.25',
        'D5.09',
        'D5.11',
        'D7.22',
        'D9.04',
        'D9.05',
        'M2.18',
        'M2.20',
        'M2.21',
        'M2.24',
      ],
    },
    () => {
      const sent = exchange('tools/call').result;
      expect(result.calls).toHaveLength(1);
      expect(result.calls[0]?.result).toEqual({
        content: sent['content'],
        structured: sent['structuredContent'],
        isError: false,
        outcome: 'done',
      });
    },
  );

  it(
    'adds its result to the conversation as a tool message that refers to the call',
    { tags: ['C1.26', 'D3.32', 'D4.26', 'D4.27', 'D7.23', 'M2.06'] },
    () => {
      const [, , assistant, tool] = agent.messages;
      const asked = assistant?.parts[0];
      expect(tool).toMatchObject({
        role: 'tool',
        parts: [{ type: 'tool_result', callId: asked?.type === 'tool_call' ? asked.callId : 'none' }],
      });
    },
  );
});

describe('the second turn', () => {
  it(
    'sends the call and its result with matching ids, and the same tools again',
    { tags: ['C4.02', 'C4.03', 'C7.24', 'D3.35', 'D4.27', 'D4.28', 'D4.29', 'D4.32', 'D7.25', 'D7.26', 'M2.32'] },
    () => {
      const [content] = exchange('tools/call').result['content'] as JsonObject[];
      expect(sentMessages(server, 1).slice(2)).toEqual([
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            { id: 'call_1', type: 'function', function: { name: 'get-date', arguments: '{"format":"locale"}' } },
          ],
        },
        { role: 'tool', tool_call_id: 'call_1', content: content?.['text'] },
      ]);
      expect(sentBody(server, 1)['tools']).toEqual(sentBody(server, 0)['tools']);
    },
  );

  it(
    "returns the model's answer and adds it to the conversation",
    {
      tags: [
        'C1.03',
        'C1.14',
        'C7.23',
        'C7.25',
        'C12.03',
        'D1.21',
        'D3.08',
        'D3.13',
        'D3.27',
        'D3.38',
        'D3.40',
        'D7.24',
        'D7.27',
        'D7.28',
        'D7.29',
        'D7.30',
      ],
    },
    () => {
      expect(result.text).toBe(ANSWER);
      expect(events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')).toBe(ANSWER);
      expect(agent.messages.slice(4)).toMatchObject([{ role: 'assistant', parts: [{ type: 'text', text: ANSWER }] }]);
    },
  );

  it(
    'is the last: the run is done after request, call and request',
    {
      tags: [
        'C1.02',
        'C1.09',
        'C1.10',
        'C1.11',
        'C1.13',
        'C1.21',
        'C1.30',
        'C1.31',
        'C3.11',
        'C3.12',
        'C3.13',
        'C3.16',
        'C3.19',
        'C3.21',
        'C4.01',
        'C7.01',
        'C7.25',
        'C9.01',
        'C12.01',
        'C12.05',
        'D1.06',
        'D1.14',
        'D2.02',
        'D3.03',
        'D3.05',
        'D3.30',
        'D3.31',
        'D3.43',
        'D3.47',
        'D4.01',
        'D4.06',
        'D7.02',
        'D7.08',
        'D7.16',
        'D7.24',
        'D7.32',
        'D9.01',
        'D9.03',
      ],
    },
    () => {
      const steps = events.flatMap((event) => (event.type === 'step_started' ? [event.instruction] : []));
      expect(steps).toEqual(['call_llm', 'call_tool', 'call_llm', 'finish']);
      expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
      expect(result.turns).toBe(2);
      expect(server.requests).toHaveLength(2);
    },
  );
});

describe('the end', () => {
  it(
    'stops the process of the server, logs it, and can be repeated',
    { tags: ['D8.02', 'D8.03', 'D8.07', 'D8.08', 'D9.08', 'M7.02', 'M7.09'] },
    async () => {
      await agent.close();
      expect(setup.children.filter(isAlive)).toEqual([]);
      const [health] = agent.servers;
      expect(health).toMatchObject({ state: 'idle', phase: 'disconnected', toolCount: 0 });
      expect(health?.log.at(-1)).toMatchObject({ text: 'disconnected' });
      expect(agent.tools).toEqual([]);
      await agent.close();
    },
  );
});

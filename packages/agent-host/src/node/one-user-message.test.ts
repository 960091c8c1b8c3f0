import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { JsonObject, Message, RunEvent, ToolDefinition } from '@toolyard/protocol';
import type { ServerHealth } from '@toolyard/mcp-host';
import type { ModelServer } from '@toolyard/testing';
import { isAlive, listProcessTree, reply, startModelServer } from '@toolyard/testing';
import type { RunResult } from '../agent-run.ts';
import type { Agent } from '../agent.ts';
import { createAgent } from './index.ts';
import { readEvents, sentBody, sentMessages } from './test-fixtures/test-agent.ts';

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
  const before = new Set(listProcessTree(process.pid));
  agent = await agentInTime();
  setup = {
    messages: [...agent.messages],
    servers: [...agent.servers],
    tools: [...agent.tools],
    record: record(),
    children: listProcessTree(process.pid).filter((pid) => !before.has(pid)),
  };
  const run = agent.run(USER_MESSAGE);
  whenAsked = { messages: [...agent.messages], requests: server.requests.length };
  events = await readEvents(run);
  result = await run.result;
});

afterAll(async () => {
  await agent.close();
  await server.close();
  rmSync(folder, { recursive: true });
});

describe('creating an agent', () => {
  it('starts the server as a child process, with the configured command and arguments', () => {
    // The program in the arguments writes the record to the file in the arguments.
    expect(setup.record.length).toBeGreaterThan(0);
    expect(setup.children.length).toBeGreaterThanOrEqual(2);
    expect(setup.children).not.toContain(process.pid);
  });

  it('passes through the phases of connecting in order', () => {
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
  });

  it('initializes over JSON-RPC before any other request', () => {
    const [greeting, answer, next] = setup.record;
    expect(greeting).toMatchObject({ from: 'client', message: { jsonrpc: '2.0', method: 'server/discover' } });
    expect(answer).toMatchObject({
      from: 'server',
      message: { jsonrpc: '2.0', id: greeting?.message['id'], result: { capabilities: { tools: {} } } },
    });
    expect(next).toMatchObject({ from: 'client', message: { method: 'tools/list' } });
  });

  it('lists the tools and identifies them by server and name', () => {
    const listed = exchange('tools/list').result['tools'] as JsonObject[];
    expect(listed.map(({ name }) => name)).toEqual(['get-date']);
    expect(setup.tools).toMatchObject([
      { tool: { serverId: 'date', name: 'get-date' }, name: 'get-date', inputSchema: listed[0]?.['inputSchema'] },
    ]);
  });

  it('resolves only when the server is connected and its tools are listed', () => {
    expect(setup.servers).toMatchObject([{ id: 'date', state: 'ready', phase: 'connected', toolCount: 1 }]);
    const listing = setup.record.findIndex(({ message }) => message['method'] === 'tools/list');
    expect(setup.record[listing + 1]).toMatchObject({ from: 'server', message: { result: { tools: [{}] } } });
  });

  it('starts with an empty conversation after the instructions', () => {
    expect(setup.messages).toMatchObject([{ role: 'system', parts: [{ type: 'text', text: INSTRUCTIONS }] }]);
  });
});

describe('the first turn', () => {
  it('adds the user message to the conversation before the model request', () => {
    expect(whenAsked.requests).toBe(0);
    expect(whenAsked.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(whenAsked.messages[1]).toMatchObject({ parts: [{ type: 'text', text: USER_MESSAGE }] });
  });

  it('is sent over HTTP with POST to /v1/chat/completions', () => {
    const { method, path } = server.requests[0] ?? {};
    expect({ method, path }).toEqual({ method: 'POST', path: '/v1/chat/completions' });
  });

  it('contains the conversation so far, with the user message unchanged', () => {
    expect(sentMessages(server, 0)).toEqual([
      { role: 'system', content: INSTRUCTIONS },
      { role: 'user', content: USER_MESSAGE },
    ]);
  });

  it('contains the tools of the server as OpenAI functions', () => {
    const [tool] = exchange('tools/list').result['tools'] as JsonObject[];
    expect(sentBody(server, 0)['tools']).toEqual([
      {
        type: 'function',
        function: { name: 'get-date', description: tool?.['description'], parameters: tool?.['inputSchema'] },
      },
    ]);
  });

  it('ends with the call in the conversation, as the model wrote it', () => {
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
  });
});

describe('the call', () => {
  it('is made once, over stdio, with the name and arguments of the model', () => {
    const { requests } = exchange('tools/call');
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({ jsonrpc: '2.0', params: { name: 'get-date' } });
    expect((requests[0]?.['params'] as JsonObject)['arguments']).toEqual({ format: 'locale' });
  });

  it('is answered by the server with typed content', () => {
    expect(exchange('tools/call').result).toMatchObject({
      content: [{ type: 'text', text: expect.stringMatching(/\d/) }],
      structuredContent: { format: 'locale' },
    });
  });

  it('returns everything that the server sent', () => {
    const sent = exchange('tools/call').result;
    expect(result.calls).toHaveLength(1);
    expect(result.calls[0]?.result).toEqual({
      content: sent['content'],
      structured: sent['structuredContent'],
      isError: false,
      outcome: 'done',
    });
  });

  it('adds its result to the conversation as a tool message that refers to the call', () => {
    const [, , assistant, tool] = agent.messages;
    const asked = assistant?.parts[0];
    expect(tool).toMatchObject({
      role: 'tool',
      parts: [{ type: 'tool_result', callId: asked?.type === 'tool_call' ? asked.callId : 'none' }],
    });
  });
});

describe('the second turn', () => {
  it('sends the call and its result with matching ids, and the same tools again', () => {
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
  });

  it("returns the model's answer and adds it to the conversation", () => {
    expect(result.text).toBe(ANSWER);
    expect(events.map((event) => (event.type === 'text_delta' ? event.text : '')).join('')).toBe(ANSWER);
    expect(agent.messages.slice(4)).toMatchObject([{ role: 'assistant', parts: [{ type: 'text', text: ANSWER }] }]);
  });

  it('is the last: the run is done after request, call and request', () => {
    const steps = events.flatMap((event) => (event.type === 'step_started' ? [event.instruction] : []));
    expect(steps).toEqual(['call_llm', 'call_tool', 'call_llm', 'finish']);
    expect(events.at(-1)).toMatchObject({ type: 'run_finished', status: 'done' });
    expect(result.turns).toBe(2);
    expect(server.requests).toHaveLength(2);
  });
});

describe('the end', () => {
  it('stops the process of the server, logs it, and can be repeated', async () => {
    await agent.close();
    expect(setup.children.filter(isAlive)).toEqual([]);
    const [health] = agent.servers;
    expect(health).toMatchObject({ state: 'idle', phase: 'disconnected', toolCount: 0 });
    expect(health?.log.at(-1)).toMatchObject({ text: 'disconnected' });
    expect(agent.tools).toEqual([]);
    await agent.close();
  });
});

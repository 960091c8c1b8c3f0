import type { ServerConfig } from '@toolyard/mcp-host';
import type { FormInterrupt } from '@toolyard/protocol';
import { defined } from '@toolyard/protocol';
import type { McpBehaviour, ToolAction } from '@toolyard/testing';
import { reply, scriptedMcpCommand, startModelServer } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { Agent } from '../agent.ts';
import type { InterruptHandlers } from '../interrupt-handlers.ts';
import { agentOn, readEvents, sentBody } from './test-fixtures/test-agent.ts';

let agent: Agent | undefined;
afterEach(() => agent?.close());

const FORM = {
  mode: 'form',
  message: 'Where to?',
  requestedSchema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const URL_ASKED = { mode: 'url', message: 'Pay', elicitationId: 'e', url: 'https://example.com/pay' };
const SAMPLING = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
  maxTokens: 5,
  tools: [{ name: 'look', inputSchema: { type: 'object' } }],
};

function asks(method: string, params: object, id = 'hotel', tool = 'book'): ServerConfig {
  const does: ToolAction[] = [{ do: 'request', method, params: params as never }, { do: 'tell_answers' }];
  const behaviour: McpBehaviour = { tools: [{ name: tool, does }] };
  return { id, transport: { type: 'stdio', ...scriptedMcpCommand(behaviour) } };
}

function asksInRounds(method: string, params: object): ServerConfig {
  const ask: ToolAction = { do: 'ask', inputRequests: { q: { method, params: params as never } }, requestState: 's' };
  const behaviour: McpBehaviour = { era: 'modern', tools: [{ name: 'book', does: [ask, { do: 'echo_input' }] }] };
  return { id: 'hotel', transport: { type: 'stdio', ...scriptedMcpCommand(behaviour) } };
}

/** Has every tool called once; returns the responses to the servers and the events. */
async function run(servers: ServerConfig[], interrupts?: InterruptHandlers) {
  const tools = servers.map((_server, at) => (at === 0 ? 'book' : `book${at}`));
  const server = await startModelServer(({ body }) => {
    const { messages } = body as { messages: { role: string; content: unknown }[] };
    if (JSON.stringify(messages).includes('Say hi'))
      return reply.toolCalls([{ name: 'look', arguments: { at: 1 } }], {
        usage: { prompt_tokens: 3, completion_tokens: 4 },
      });
    if (messages.at(-1)?.role === 'tool') return reply.text('Done.');
    return reply.toolCalls(tools.map((name) => ({ name, arguments: {} })));
  });
  await using _stop = { [Symbol.asyncDispose]: () => server.close() };
  const allow = servers.map(({ id }, at) => `${id}/${tools[at] ?? ''}`);
  agent = await agentOn(server, { servers, allow, ...defined({ interrupts }) });
  const started = agent.run('Book.');
  const events = await readEvents(started);
  const { calls, usage } = await started.result;
  const responses = calls.map(({ result: { content } }) => (content[0]?.type === 'text' ? content[0].text : ''));
  return { responses, events, usage, server };
}

describe('requests of servers to an agent', () => {
  test.each([asks, asksInRounds])('are answered by its handlers, in either protocol era', async (make) => {
    const asked: FormInterrupt[] = [];
    const { responses, events } = await run([make('elicitation/create', FORM)], {
      form: async (interrupt) => {
        asked.push(interrupt);
        return { decision: 'accept', content: { city: 'Taipei' } };
      },
    });
    expect(asked).toMatchObject([{ tool: { serverId: 'hotel', name: 'book' }, message: 'Where to?' }]);
    expect(responses.join()).toContain('{"action":"accept","content":{"city":"Taipei"}}');
    expect(events.map(({ type }) => type).filter((type) => type.startsWith('interrupt'))).toEqual([
      'interrupt_requested',
      'interrupt_answered',
    ]);
  });

  test('are declined without a handler, and the run continues', async () => {
    expect((await run([asks('elicitation/create', FORM)])).responses.join()).toContain('-32601');
    await agent?.close();
    const other: InterruptHandlers = { url: async () => ({ decision: 'accept' }) };
    expect((await run([asks('sampling/createMessage', SAMPLING)], other)).responses.join()).toContain('-32601');
  });

  test('get an error without details if a handler throws or returns an invalid form', async () => {
    const { responses, events } = await run([asks('elicitation/create', FORM)], {
      form: async () => ({ decision: 'accept', content: { city: 7 } }),
    });
    expect(responses.join()).toContain('"city\\" must be text');
    expect(events.map(({ type }) => type)).toContain('interrupt_withdrawn');
    await agent?.close();
    const broken = await run([asks('elicitation/create', FORM)], { form: () => Promise.reject(new Error('hunter2')) });
    expect(broken.responses.join()).toContain('error');
    expect(JSON.stringify(broken.responses)).not.toContain('hunter2');
  });

  test('pass a URL to the handler without fetching it', async () => {
    const { responses } = await run([asks('elicitation/create', URL_ASKED)], {
      url: async ({ url }) => ({ decision: url === URL_ASKED.url ? 'decline' : 'accept' }),
    });
    expect(responses.join()).toContain('"action":"decline"');
  });

  test("let the model answer with calls of the server's tools, and count its usage", async () => {
    const { responses, usage, server } = await run([asks('sampling/createMessage', SAMPLING)], {
      sampling: async () => ({ decision: 'allow' }),
    });
    expect(JSON.parse(responses[0] ?? '')).toMatchObject([
      { role: 'assistant', stopReason: 'toolUse', content: [{ type: 'tool_use', name: 'look', input: { at: 1 } }] },
    ]);
    const body = sentBody(server, 1);
    expect(body['messages']).toHaveLength(1);
    expect(JSON.stringify(body['tools'])).toContain('look');
    expect(JSON.stringify(body['tools'])).not.toContain('book');
    expect(usage).toMatchObject({ inputTokens: 3, outputTokens: 4 });
  });

  test('of two servers at once are asked one after another', async () => {
    let open = 0;
    let most = 0;
    const { responses } = await run(
      [asks('elicitation/create', FORM), asks('elicitation/create', FORM, 'other', 'book1')],
      {
        form: async ({ tool }) => {
          most = Math.max(most, ++open);
          await new Promise((resolve) => setTimeout(resolve, 30));
          open--;
          return { decision: 'accept', content: { city: tool.serverId } };
        },
      },
    );
    expect(most).toBe(1);
    expect(responses.map((one) => /"city":"(\w+)"/.exec(one)?.[1])).toEqual(['hotel', 'other']);
  });
});

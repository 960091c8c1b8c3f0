import { startScriptedMcp, startScriptedSse, startScriptedWebSocket, within } from '@toolyard/testing';
import type { McpBehaviour } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import type { McpHost } from '../host/host.ts';
import { connected, getHealth } from '../node/test-fixtures/peers.ts';
import { answersAll, FORM, SAMPLING } from '../node/test-fixtures/server-requests.ts';
import type { ServerRequestContext } from '../server-requests/answer-request.ts';
import type { CallToolOptions, TransportConfig } from '../types.ts';

const closers: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

/** Two calls in flight: one of them sends a request, and nothing says which. */
const behaviour: McpBehaviour = {
  tools: [
    {
      name: 'ask',
      does: [
        { do: 'barrier', calls: 2 },
        { do: 'request', method: 'elicitation/create', params: FORM },
        { do: 'request', method: 'sampling/createMessage', params: SAMPLING },
        { do: 'tell_answers' },
      ],
    },
    { name: 'wait', does: [{ do: 'barrier', calls: 2 }, { do: 'never' }] },
  ],
};

/** A server per transport that sends its requests outside the stream of a call. */
const servers: Record<string, () => Promise<{ transport: TransportConfig; close: () => Promise<void> }>> = {
  'HTTP+SSE': async () => {
    const server = await startScriptedSse(behaviour);
    return { transport: { type: 'sse', url: server.url }, close: () => server.close() };
  },
  WebSocket: async () => {
    const server = await startScriptedWebSocket(behaviour);
    return { transport: { type: 'websocket', url: server.url }, close: () => server.close() };
  },
  'the GET stream of Streamable HTTP': async () => {
    const server = await startScriptedMcp(behaviour, { requestsOnGetStream: true });
    return { transport: { type: 'http', url: server.url }, close: () => server.close() };
  },
};

async function connect(start: () => Promise<{ transport: TransportConfig; close: () => Promise<void> }>) {
  const { transport, close } = await start();
  closers.push(close);
  const host = await connected([{ id: 'srv', transport }], { handlers: answersAll });
  closers.push(() => host.close());
  return host;
}

/** A user of one chat who answers everything, or who waits until the request is withdrawn. */
function user(principal: string, conversationId: string, does: 'answer' | 'wait') {
  const asked: ServerRequestContext[] = [];
  const answer = <T>(given: T, context: ServerRequestContext): Promise<T> => {
    asked.push(context);
    return new Promise((resolve, reject) => {
      if (does === 'answer') resolve(given);
      context.signal.addEventListener('abort', () => reject(new Error('withdrawn')));
    });
  };
  const options: CallToolOptions = {
    caller: { principal, conversationId },
    handlers: {
      form: (_request, context) => answer({ action: 'accept' as const, content: { city: 'Taipei' } }, context),
      sampling: (_request, context) =>
        answer({ role: 'assistant' as const, content: { type: 'text' as const, text: 'hi' }, model: 'demo' }, context),
    },
  };
  return { asked, options };
}

async function callAndWait(host: McpHost, request: CallToolOptions, waits: CallToolOptions): Promise<string> {
  const stop = new AbortController();
  const waiting = host.callTool({ serverId: 'srv', name: 'wait' }, {}, { ...waits, signal: stop.signal });
  const call = host.callTool({ serverId: 'srv', name: 'ask' }, {}, request);
  const { content } = await within(call, { what: 'the request of the call' });
  stop.abort();
  await waiting;
  return JSON.stringify(content);
}

describe.each(Object.entries(servers))('an elicitation and a sampling request over %s', (_name, start) => {
  test('that may belong to two chats name both and are answered through the chat that is not calling', async () => {
    const host = await connect(start);
    const [a, b] = [user('anne', 'a', 'wait'), user('anne', 'b', 'answer')];
    const answers = await callAndWait(host, a.options, b.options);
    expect(answers).toContain('Taipei');
    expect(answers).toContain('demo');
    for (const { asked } of [a, b]) {
      expect(asked.map(({ mayBelongTo }) => mayBelongTo?.toSorted())).toEqual([
        ['a', 'b'],
        ['a', 'b'],
      ]);
    }
    expect(getHealth(host, 'srv').interactive).toBe(true);
  });

  test('that may belong to two users are shown to neither and make the server interactive', async () => {
    const host = await connect(start);
    const [anne, bert] = [user('anne', 'a', 'answer'), user('bert', 'b', 'answer')];
    const answers = await callAndWait(host, anne.options, bert.options);
    expect(answers.match(/several users/g)).toHaveLength(2);
    expect([...anne.asked, ...bert.asked]).toEqual([]);
    expect(getHealth(host, 'srv').interactive).toBe(true);
  });
});

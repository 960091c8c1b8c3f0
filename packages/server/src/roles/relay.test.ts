import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { getRequestListener } from '@hono/node-server';
import type { CallToolOptions, EraMemory, ServerConfig, ToolProgress } from '@toolyard/mcp-host';
import { createWebTransports, McpHost } from '@toolyard/mcp-host';
import { createNodeTransports } from '@toolyard/mcp-host/node';
import type { ToolResult } from '@toolyard/protocol';
import { systemClock } from '@toolyard/protocol';
import type { McpBehaviour } from '@toolyard/testing';
import { eventually, scriptedMcpCommand, within } from '@toolyard/testing';
import { describe, expect, onTestFinished, test } from 'vitest';
import { NO_USER_HANDLERS } from '../mcp/no-user-handlers.ts';
import { findOffers, readCatalogue } from './catalogue.ts';
import { Relay } from './relay.ts';

const clientInfo = { name: 'test', version: '1.0.0' };

/** A local server, the host that runs it, and another host that reaches it through the first one. */
async function chain(
  behaviour: McpBehaviour,
  more: Partial<ServerConfig> = {},
): Promise<{ near: McpHost; far: McpHost; relay: Relay; log: string[] }> {
  const log: string[] = [];
  const transport = { type: 'stdio' as const, ...scriptedMcpCommand(behaviour) };
  const config = { id: 'lab', transport, connectTimeoutMs: 120_000, ...more };
  // On a busy machine detecting the era may time out, so provide it.
  const eraMemory: EraMemory = {
    get: () => ({ era: behaviour.era === 'modern' ? 'modern' : 'legacy', at: systemClock.now() }),
    set: () => undefined,
    delete: () => undefined,
  };
  const fetchNothing = (): Promise<Response> => Promise.reject(new Error('nothing is fetched'));
  const near = new McpHost({
    servers: [config],
    createTransport: createNodeTransports({ fetch: fetchNothing }),
    clock: systemClock,
    clientInfo,
    handlers: NO_USER_HANDLERS,
    eraMemory,
  });
  const relay = new Relay({ host: near, serverId: 'lab', clock: systemClock, log: (line) => log.push(line) });
  near.onChange(() => relay.notifyChanges());
  await near.connectAll();
  const answer = getRequestListener((request) => relay.fetch(request), { overrideGlobalObjects: false });
  const server = createServer((incoming, outgoing) => void answer(incoming, outgoing));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/lab`;
  const far = new McpHost({
    servers: [config],
    createTransport: async (_config, context) => {
      const transport = await createWebTransports({ fetch })({ type: 'http', url }, context);
      return Object.assign(transport, { relays: true });
    },
    clock: systemClock,
    clientInfo,
    handlers: NO_USER_HANDLERS,
    eraMemory,
  });
  onTestFinished(async () => {
    await far.close();
    await relay.close();
    await near.close();
    server.closeAllConnections();
    server.close();
  });
  await far.connectAll();
  return { near, far, relay, log };
}

const call = (host: McpHost, name: string, options: CallToolOptions = {}, args = {}): Promise<ToolResult> =>
  host.callTool({ serverId: 'lab', name }, args, options);

describe.each(['legacy', 'modern'] as const)('a %s server through another process', (era) => {
  test('returns the same lists and results as the server itself', async () => {
    const strange = {
      content: [{ type: 'image', data: 'AAAA', mimeType: 'image/png' }],
      structuredContent: { a: [1] },
    };
    const { near, far } = await chain({
      era,
      instructions: 'Mind the gap.',
      serverInfo: { name: 'lab', version: '7', title: 'The lab' },
      tools: [
        { name: 'echo', title: 'Echo', annotations: { readOnlyHint: true }, does: [{ do: 'echo' }] },
        { name: 'picture', does: [{ do: 'result', result: strange }] },
        { name: 'fail', does: [{ do: 'fail', text: 'no paper' }] },
        { name: 'refuse', does: [{ do: 'error', code: -32_602, message: 'not so' }] },
      ],
    });
    const of = (host: McpHost) =>
      host.health().map(({ era: hostEra, serverInfo, instructions, state }) => ({
        spoken: hostEra,
        serverInfo,
        instructions,
        state,
      }));
    expect(of(far)).toEqual(of(near));
    expect(of(far)).toMatchObject([{ spoken: era, state: 'ready' }]);
    const plain = (host: McpHost) => JSON.stringify(host.tools());
    expect(plain(far)).toBe(plain(near));
    const reference = { serverId: 'lab', name: 'echo' };
    expect(far.findDefinition(reference)).toBe(near.findDefinition(reference));
    for (const name of ['echo', 'picture', 'fail', 'refuse']) {
      expect(await call(far, name, {}, { x: 'ü' })).toEqual(await call(near, name, {}, { x: 'ü' }));
    }
  });

  test('forwards progress and changed tools', async () => {
    const { far } = await chain({
      era,
      tools: [
        { name: 'slow', does: [{ do: 'progress', steps: 3, everyMs: 20 }] },
        { name: 'grow', does: [{ do: 'set_tools', tools: [{ name: 'grown' }] }] },
      ],
    });
    const steps: number[] = [];
    await call(far, 'slow', { onProgress: ({ progress }) => steps.push(progress) });
    expect(steps).toEqual([1, 2, 3]);
    await call(far, 'grow');
    await eventually(() => far.tools().some(({ name }) => name === 'grown'));
  });

  test('makes the outcome of a call unknown if it crashes, and reconnects', async () => {
    const { far } = await chain({
      era,
      tools: [
        { name: 'crash', does: [{ do: 'exit', code: 3 }] },
        { name: 'echo', does: [{ do: 'echo' }] },
      ],
    });
    expect(await call(far, 'crash')).toMatchObject({ isError: true, outcome: 'unknown' });
    await eventually(async () => expect(await call(far, 'echo', {}, { a: 1 })).toMatchObject({ isError: false }));
  });

  test('forwards a cancellation', async () => {
    const { far, relay } = await chain({ era, tools: [{ name: 'hang', does: [{ do: 'never' }] }] });
    const stop = new AbortController();
    const called = call(far, 'hang', { signal: stop.signal });
    await eventually(() => !relay.isIdle);
    stop.abort();
    expect(await called).toMatchObject({ outcome: 'unknown', error: { code: 'cancelled' } });
    await relay.whenIdle();
  });
});

const FORM = {
  method: 'elicitation/create',
  params: {
    message: 'Your name?',
    requestedSchema: { type: 'object', properties: { name: { type: 'string', default: 'nobody' } } },
  },
};

test('forwards a request of a legacy server during a call to the caller, and the answer back', async () => {
  const sampling = {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: 'hi' } }], maxTokens: 9 },
  };
  const { far } = await chain({
    era: 'legacy',
    tools: [
      {
        name: 'ask',
        does: [{ do: 'request', ...FORM }, { do: 'request', ...sampling }, { do: 'tell_answers' }],
      },
    ],
  });
  const asked: string[] = [];
  const result = await call(far, 'ask', {
    handlers: {
      form: async ({ message }, { tool }) => {
        asked.push(`${tool?.name ?? ''}: ${message}`);
        return { action: 'accept', content: { name: 'Ann' } };
      },
      sampling: async ({ maxTokens }) => {
        asked.push(String(maxTokens));
        return { role: 'assistant', model: 'm', content: { type: 'text', text: 'hello' } };
      },
    },
  });
  expect(asked).toEqual(['ask: Your name?', '9']);
  expect(JSON.stringify(result.content)).toContain('Ann');
  expect(JSON.stringify(result.content)).toContain('hello');
});

describe('a legacy server through another process, called by several conversations', () => {
  const inChat = (conversationId: string, principal = 'anne'): CallToolOptions => ({
    caller: { principal, conversationId },
  });

  test('has their calls in flight at once', async () => {
    const { far } = await chain({
      era: 'legacy',
      tools: [
        {
          name: 'meet',
          does: [
            { do: 'barrier', calls: 8 },
            { do: 'text', text: 'met' },
          ],
        },
      ],
    });
    const calls = Array.from({ length: 8 }, (_, at) => call(far, 'meet', inChat(String(at))));
    const results = await within(Promise.all(calls), { what: 'eight calls in flight at once' });
    for (const result of results) expect(result).toMatchObject({ outcome: 'done', isError: false });
  });

  const asking: McpBehaviour = {
    era: 'legacy',
    tools: [
      { name: 'ask', does: [{ do: 'barrier', calls: 2 }, { do: 'request', ...FORM }, { do: 'tell_answers' }] },
      { name: 'wait', does: [{ do: 'barrier', calls: 2 }, { do: 'never' }] },
    ],
  };
  /** Records which conversations received a request. */
  const listening = (asked: unknown[], action: 'decline' | 'wait'): CallToolOptions => ({
    handlers: {
      form: (_request, { mayBelongTo, signal }) => {
        asked.push(mayBelongTo?.toSorted());
        return new Promise((resolve, reject) => {
          if (action === 'decline') resolve({ action });
          signal.addEventListener('abort', () => reject(new Error('withdrawn')));
        });
      },
    },
  });

  test('sends a request without a call to each of them; one answer is enough', async () => {
    const { far } = await chain(asking);
    const asked: unknown[] = [];
    const stop = new AbortController();
    const waiting = call(far, 'wait', { ...inChat('b'), ...listening(asked, 'wait'), signal: stop.signal });
    const result = await within(call(far, 'ask', { ...inChat('a'), ...listening(asked, 'decline') }), {
      what: 'the answer',
    });
    expect(JSON.stringify(result.content)).toContain('decline');
    expect(asked).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
    stop.abort();
    await waiting;
  });

  test('can have a process per conversation; a crash affects only its own', async () => {
    const { near, far } = await chain({
      era: 'legacy',
      tools: [
        { name: 'ask', does: [{ do: 'barrier', calls: 2 }, { do: 'request', ...FORM }, { do: 'tell_answers' }] },
        { name: 'hold', does: [{ do: 'never' }] },
        { name: 'crash', does: [{ do: 'exit', code: 3 }] },
        { name: 'echo', does: [{ do: 'echo' }] },
      ],
    });
    const asked: unknown[] = [];
    const both = ['a', 'b'].map((chat) => call(far, 'ask', { ...inChat(chat), ...listening(asked, 'decline') }));
    await within(Promise.all(both), { what: 'both calls that asked' });
    expect(near.health()).toMatchObject([{ interactive: true }]);
    // The catalogue as other processes show it.
    const row = JSON.stringify(findOffers(near, 'lab', (text) => text));
    expect(readCatalogue(row)?.health).toMatchObject({ interactive: true, isolation: { kind: 'unsandboxed' } });
    const stop = new AbortController();
    const held = call(far, 'hold', { ...inChat('a'), signal: stop.signal });
    await eventually(() => near.wireLog('lab').some(({ text }) => text.includes('hold')));
    expect(await within(call(far, 'crash', inChat('b')), { what: 'the crash' })).toMatchObject({ outcome: 'unknown' });
    expect(await within(call(far, 'echo', inChat('b')), { what: 'a call after the crash' })).toMatchObject({
      outcome: 'done',
    });
    expect(near.health()).toMatchObject([{ state: 'ready' }]);
    stop.abort();
    expect(await held).toMatchObject({ error: { code: 'cancelled' } });
  });

  test('runs one call at a time if configured; the waiting caller learns which call it waits for', async () => {
    const tools = [
      { name: 'hold', does: [{ do: 'never' as const }] },
      { name: 'echo', does: [{ do: 'echo' as const }] },
    ];
    const { near, far } = await chain({ era: 'legacy', tools }, { maxConcurrentCalls: 1 });
    const stop = new AbortController();
    const held = call(far, 'hold', { ...inChat('a'), signal: stop.signal });
    await eventually(() => near.wireLog('lab').some(({ text }) => text.includes('hold')));
    const progressEvents: ToolProgress[] = [];
    const waiting = call(far, 'echo', { ...inChat('b'), onProgress: (progress) => progressEvents.push(progress) });
    await eventually(() => expect(progressEvents).toMatchObject([{ waitsFor: ['a'] }]));
    stop.abort();
    await held;
    expect(await within(waiting, { what: 'the call that waited' })).toMatchObject({ outcome: 'done' });
    expect(progressEvents.at(-1)).toEqual({ progress: 0 });
  });

  test('sends no request if the callers are different principals', async () => {
    const { far } = await chain(asking);
    const asked: unknown[] = [];
    const stop = new AbortController();
    const waiting = call(far, 'wait', { ...inChat('b', 'bert'), ...listening(asked, 'wait'), signal: stop.signal });
    const result = await within(call(far, 'ask', { ...inChat('a'), ...listening(asked, 'decline') }), {
      what: 'the answer',
    });
    expect(JSON.stringify(result.content)).toContain('several users');
    expect(asked).toEqual([]);
    stop.abort();
    await waiting;
  });
});

test('forwards an input request of a modern server as a round, with its state unchanged', async () => {
  const requestState = 'state "of" the sérver';
  const { far } = await chain({
    era: 'modern',
    tools: [{ name: 'ask', does: [{ do: 'ask', inputRequests: { who: FORM }, requestState }, { do: 'echo_input' }] }],
  });
  let round: Parameters<NonNullable<CallToolOptions['onRound']>>[0] | undefined;
  expect(await call(far, 'ask', { onRound: (one) => (round = one) })).toMatchObject({
    error: { code: 'input_required' },
  });
  expect(round).toMatchObject({ number: 1, state: requestState, asked: [{ key: 'who' }] });
  const responses = { who: { action: 'accept', content: { name: 'Ann' } } };
  const result = await call(far, 'ask', { resume: { number: 1, responses, state: requestState } });
  expect(result.isError).toBe(false);
  expect(JSON.parse(result.content[0]?.type === 'text' ? result.content[0].text : '')).toMatchObject({
    inputResponses: responses,
    requestState,
  });
});

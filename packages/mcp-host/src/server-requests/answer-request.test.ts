import type { JsonObject } from '@toolyard/protocol';
import { ToolyardError } from '@toolyard/protocol';
import { createFakeClock, eventually } from '@toolyard/testing';
import { afterEach, describe, expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import type { McpHostOptions } from '../host/host-options.ts';
import { answersAll, FORM, SAMPLING } from '../node/test-fixtures/server-requests.ts';
import { connected, everything, newHost } from '../node/test-fixtures/peers.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import type { FormAnswer, ServerRequestContext, ServerRequestHandlers } from './answer-request.ts';

let host: McpHost | undefined;
afterEach(() => host?.close());

function memoryHost(peer: MemoryPeer, more: Partial<McpHostOptions> = {}): McpHost {
  return new McpHost({
    servers: [{ id: 'srv', transport: { type: 'in-memory', name: 'srv' } }],
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
    clock: createFakeClock(),
    clientInfo: { name: 'toolyard-test', version: '0' },
    ...more,
  });
}

/** Never answers a call. */
function silentPeer(): MemoryPeer {
  const peer = new MemoryPeer();
  peer.answers['tools/call'] = () => ({ method: 'notifications/none' });
  return peer;
}

/** A user of one chat: the requests shown, and the answer once it is given. */
function person(principal: string, conversationId: string) {
  const asked: ServerRequestContext[] = [];
  const said = Promise.withResolvers<FormAnswer>();
  const handlers: ServerRequestHandlers = {
    form: (_request, context) => {
      asked.push(context);
      return said.promise;
    },
  };
  return { asked, say: said.resolve, options: { caller: { principal, conversationId }, handlers } };
}

describe('a request of a legacy server while several calls are in flight', () => {
  const go = { serverId: 'srv', name: 'go' };
  const answerOn = (peer: MemoryPeer): Promise<unknown> =>
    eventually(() => peer.received.find((message) => 'id' in message && message.id === 'form'));

  test.each([0, 1])('names both conversations and accepts the answer of either (%i)', async (first) => {
    const peer = silentPeer();
    host = memoryHost(peer, { handlers: answersAll });
    await host.connectAll();
    const people = [person('anne', 'a'), person('anne', 'b')];
    const met = host;
    const calls = people.map(({ options }) => met.callTool(go, {}, options));
    peer.say({ id: 'form', method: 'elicitation/create', params: FORM });
    await eventually(() => people.every(({ asked }) => asked.length === 1));
    for (const { asked } of people) expect(asked).toMatchObject([{ serverId: 'srv', mayBelongTo: ['a', 'b'] }]);
    people[first]?.say({ action: 'accept', content: { city: 'Taipei' } });
    expect(await answerOn(peer)).toMatchObject({ result: { action: 'accept', content: { city: 'Taipei' } } });
    expect(people.map(({ asked }) => asked[0]?.signal.aborted)).toEqual([true, true]);
    await host.close();
    await Promise.all(calls);
  });

  test('stays open for the other conversation when one call ends', async () => {
    const peer = silentPeer();
    host = memoryHost(peer, { handlers: answersAll });
    await host.connectAll();
    const [a, b] = [person('anne', 'a'), person('anne', 'b')];
    const stop = new AbortController();
    const stopped = host.callTool(go, {}, { ...a.options, signal: stop.signal });
    const other = host.callTool(go, {}, b.options);
    peer.say({ id: 'form', method: 'elicitation/create', params: FORM });
    await eventually(() => a.asked.length + b.asked.length === 2);
    stop.abort();
    await stopped;
    expect(a.asked[0]?.signal.aborted).toBe(true);
    expect(b.asked[0]?.signal.aborted).toBe(false);
    b.say({ action: 'decline' });
    expect(await answerOn(peer)).toMatchObject({ result: { action: 'decline' } });
    await host.close();
    await other;
  });

  test('is not shown if the calls belong to several principals', async () => {
    const peer = silentPeer();
    host = memoryHost(peer, { handlers: answersAll });
    await host.connectAll();
    const people = [person('anne', 'a'), person('bert', 'b')];
    const met = host;
    const calls = people.map(({ options }) => met.callTool(go, {}, options));
    peer.say({ id: 'form', method: 'elicitation/create', params: FORM });
    expect(await answerOn(peer)).toMatchObject({
      error: { message: expect.stringContaining('several users') as string },
    });
    expect(people.map(({ asked }) => asked)).toEqual([[], []]);
    await host.close();
    await Promise.all(calls);
  });

  test('is not shown in a chat without a user', async () => {
    const peer = silentPeer();
    host = memoryHost(peer, { handlers: answersAll });
    await host.connectAll();
    const anne = person('anne', 'a');
    const calls = [
      host.callTool(go, {}, { caller: { principal: 'anne', conversationId: 'headless' } }),
      host.callTool(go, {}, anne.options),
    ];
    peer.say({ id: 'form', method: 'elicitation/create', params: FORM });
    await eventually(() => anne.asked.length === 1);
    expect(anne.asked).toMatchObject([{ mayBelongTo: ['headless', 'a'] }]);
    anne.say({ action: 'decline' });
    expect(await answerOn(peer)).toMatchObject({ result: { action: 'decline' } });
    await host.close();
    await Promise.all(calls);
  });
});

describe('declared capabilities', () => {
  const declared = async (handlers: ServerRequestHandlers | undefined): Promise<unknown> => {
    const peer = new MemoryPeer();
    host = memoryHost(peer, handlers === undefined ? {} : { handlers });
    await host.connectAll();
    const hello = peer.received.find((message) => 'method' in message && message.method === 'initialize');
    await host.close();
    return hello !== undefined && 'params' in hello ? hello.params?.['capabilities'] : undefined;
  };

  test('are those with a handler, and tasks', async () => {
    const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
    expect(await declared(undefined)).toEqual(tasks);
    expect(await declared({ roots: () => [] })).toEqual({ ...tasks, roots: { listChanged: true } });
    expect(await declared({ url: async () => 'cancel' })).toEqual({ ...tasks, elicitation: { url: {} } });
    expect(await declared(answersAll)).toEqual({
      ...tasks,
      sampling: { tools: {} },
      elicitation: { form: {}, url: {} },
      roots: { listChanged: true },
    });
  });
});

describe('a request of a legacy server', () => {
  /** Sends a request during a call that never ends; returns the raw answer. */
  async function ask(handlers: ServerRequestHandlers, method: string, params: JsonObject = {}): Promise<unknown> {
    const peer = silentPeer();
    host = memoryHost(peer, { handlers });
    await host.connectAll();
    const call = host.callTool({ serverId: 'srv', name: 'go' }, {});
    peer.say({ id: 'form', method, params });
    const answer = await eventually(() => peer.received.find((message) => 'id' in message && message.id === 'form'));
    await host.close();
    await call;
    return 'result' in answer ? answer.result : 'error' in answer ? answer.error : undefined;
  }

  test('gets an answer: form with defaults, sampling, URL, roots', async () => {
    expect(await ask(answersAll, 'elicitation/create', FORM)).toEqual({
      action: 'accept',
      content: { city: 'Taipei', days: 3 },
    });
    expect(await ask(answersAll, 'sampling/createMessage', SAMPLING)).toMatchObject({ model: 'demo' });
    const url = { mode: 'url', message: 'Sign in', elicitationId: 'e1', url: 'https://example.com/in' };
    expect(await ask(answersAll, 'elicitation/create', url)).toEqual({ action: 'accept' });
    expect(await ask(answersAll, 'roots/list')).toEqual({ roots: [{ uri: 'file:///srv/notes', name: 'work' }] });
  });

  test('gets a neutral error if it has no handler, the user declines, or the handler fails', async () => {
    expect(await ask({}, 'elicitation/create', FORM)).toMatchObject({ code: -32601 });
    expect(await ask({ form: async () => ({ action: 'decline' }) }, 'elicitation/create', FORM)).toEqual({
      action: 'decline',
    });
    const no = new ToolyardError({ code: 'refused', message: 'The person does not want that.' });
    const refusing: ServerRequestHandlers = { sampling: () => Promise.reject(no) };
    expect(await ask(refusing, 'sampling/createMessage', SAMPLING)).toEqual({
      code: -1,
      message: 'The person does not want that.',
    });
    const broken: ServerRequestHandlers = { sampling: () => Promise.reject(new Error('key sk-hunter2 is wrong')) };
    const replies = await ask(broken, 'sampling/createMessage', SAMPLING);
    expect(replies).toMatchObject({ code: -32603 });
    expect(JSON.stringify(replies)).not.toContain('hunter2');
  });

  test('never gets an answer that does not match its form', async () => {
    const wrong: ServerRequestHandlers = { form: async () => ({ action: 'accept', content: { city: 7 } }) };
    expect(await ask(wrong, 'elicitation/create', FORM)).toMatchObject({ code: -32603 });
  });

  test.each(['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', 'http://example.com/', 'not an address'])(
    'attack 2: %s is not shown to a user',
    async (url) => {
      let wasAsked = false;
      const handlers: ServerRequestHandlers = {
        url: async () => {
          wasAsked = true;
          return 'accept';
        },
      };
      const params = { mode: 'url', message: 'Open this', elicitationId: 'e1', url };
      expect(await ask(handlers, 'elicitation/create', params)).toMatchObject({ code: -32602 });
      expect(wasAsked).toBe(false);
    },
  );

  test('suspends the timeout of the call', async () => {
    const clock = createFakeClock();
    const peer = silentPeer();
    const contexts: ServerRequestContext[] = [];
    let answer = (): void => undefined;
    const handlers: ServerRequestHandlers = {
      form: (_request, context) => {
        contexts.push(context);
        return new Promise((resolve) => {
          answer = () => resolve({ action: 'cancel' });
        });
      },
    };
    host = memoryHost(peer, { handlers, clock });
    await host.connectAll();
    const call = host.callTool({ serverId: 'srv', name: 'go' }, {}, { timeoutMs: 10_000 });
    await clock.advance(5_000);
    peer.say({ id: 'form', method: 'elicitation/create', params: FORM });
    await clock.advance(3_600_000);
    expect(contexts).toMatchObject([{ serverId: 'srv', tool: { serverId: 'srv', name: 'go' } }]);
    expect(contexts[0]).not.toHaveProperty('mayBelongTo');
    answer();
    await clock.advance(10_000);
    expect(await call).toMatchObject({ outcome: 'unknown', error: { code: 'timed_out' } });
    expect(clock.pending).toBe(0);
  });

  test('is withdrawn when the call is cancelled', async () => {
    const peer = silentPeer();
    let context: ServerRequestContext | undefined;
    const handlers: ServerRequestHandlers = {
      form: (_request, asked) => {
        context = asked;
        return new Promise(() => undefined);
      },
    };
    host = memoryHost(peer, { handlers });
    await host.connectAll();
    const stopper = new AbortController();
    const call = host.callTool({ serverId: 'srv', name: 'go' }, {}, { signal: stopper.signal });
    await eventually(() => peer.countReceived('tools/call') === 1);
    peer.say({ id: 'form', method: 'elicitation/create', params: FORM });
    await eventually(() => context);
    stopper.abort();
    expect(await call).toMatchObject({ error: { code: 'cancelled' } });
    expect(context?.signal.aborted).toBe(true);
  });

  test('calls run in parallel if no capability allows requests', async () => {
    const peer = silentPeer();
    host = memoryHost(peer, { handlers: { roots: () => [] } });
    await host.connectAll();
    const met = host;
    const calls = [1, 2, 3].map((number) => met.callTool({ serverId: 'srv', name: 'go' }, { number }));
    expect(peer.countReceived('tools/call')).toBe(3);
    await host.close();
    await Promise.all(calls);
  });

  test('a call that requires a visit to a URL is repeated after the visit', async () => {
    const peer = new MemoryPeer();
    let hasBeenThere = false;
    const elicitations = [{ mode: 'url', elicitationId: 'e1', message: 'Sign in', url: 'https://example.com/in' }];
    peer.answers['tools/call'] = () =>
      hasBeenThere
        ? { result: { content: [{ type: 'text', text: 'welcome' }] } }
        : { error: { code: -32042, message: 'Sign in first', data: { elicitations } } };
    const asked: string[] = [];
    let choice: 'accept' | 'decline' = 'decline';
    const handlers: ServerRequestHandlers = {
      url: async ({ url }, { completed }) => {
        asked.push(url);
        if (choice === 'decline') return choice;
        peer.say({ method: 'notifications/elicitation/complete', params: { elicitationId: 'e1' } });
        await completed;
        hasBeenThere = true;
        return choice;
      },
    };
    host = memoryHost(peer, { handlers });
    await host.connectAll();
    expect(await host.callTool({ serverId: 'srv', name: 'go' }, {})).toMatchObject({ outcome: 'not_sent' });
    choice = 'accept';
    expect(await host.callTool({ serverId: 'srv', name: 'go' }, {})).toMatchObject({
      outcome: 'done',
      content: [{ text: 'welcome' }],
    });
    expect(asked).toEqual(['https://example.com/in', 'https://example.com/in']);
  });

  test('roots changes are announced to the server', async () => {
    const peer = new MemoryPeer();
    host = memoryHost(peer, { handlers: answersAll });
    await host.connectAll();
    await host.rootsChanged();
    expect(peer.countReceived('notifications/roots/list_changed')).toBe(1);
  });

  test('the reference server sends elicitation and sampling requests during its tools', async () => {
    host = await connected(
      [{ id: 'srv', transport: { type: 'stdio', command: process.execPath, args: [everything, 'stdio'] } }],
      {
        handlers: {
          ...answersAll,
          form: async ({ message }) => ({ action: message === '' ? 'cancel' : 'decline' }),
        },
      },
    );
    const sampled = await host.callTool(
      { serverId: 'srv', name: 'trigger-sampling-request' },
      { prompt: 'hello', maxTokens: 10 },
    );
    expect(JSON.stringify(sampled.content)).toContain('demo');
    const elicited = await host.callTool({ serverId: 'srv', name: 'trigger-elicitation-request' }, {});
    expect(elicited).toMatchObject({ outcome: 'done' });
    expect(JSON.stringify(elicited.content)).toMatch(/declin/i);
  });
});

test('answers to unknown requests are ignored', async () => {
  const peer = new MemoryPeer();
  host = newHost([{ id: 'srv', transport: { type: 'in-memory', name: 'srv' } }], {
    createTransport: peer.createTransport,
    eraMemory: peer.eraMemory,
  });
  await host.connectAll();
  peer.say({ id: 4711, result: { content: [] } });
  peer.say({ id: 'never', error: { code: 1, message: 'x' } });
  expect(await host.callTool({ serverId: 'srv', name: 'go' }, {})).toMatchObject({ outcome: 'done' });
});

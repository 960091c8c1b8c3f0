import type { JsonObject, JsonValue } from '@toolyard/protocol';
import { createFakeClock, eventually, startScriptedMcp, type ScriptedMcp } from '@toolyard/testing';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { McpHost } from '../host/host.ts';
import type { McpHostOptions } from '../host/host-options.ts';
import { connected, everything, getHealth } from '../node/test-fixtures/peers.ts';
import { connectPeer } from '../node/test-fixtures/connect-peer.ts';
import { MemoryPeer } from '../node/test-fixtures/memory-peer.ts';
import { SERVER_LIMITS } from '../values/server-limits.ts';

const clock = createFakeClock();
let peer: MemoryPeer;
let host: McpHost;
beforeEach(() => {
  peer = new MemoryPeer();
});
afterEach(() => host.close());

async function connect(answers: Record<string, JsonObject>, more: Partial<McpHostOptions> = {}): Promise<McpHost> {
  host = await connectPeer(peer, clock, answers, more);
  return host;
}

describe('lists of a server', () => {
  const resources = {
    resources: [
      {
        uri: 'file:///a.txt',
        name: 'a',
        title: 'A',
        mimeType: 'text/plain',
        size: 3,
        icons: [{ src: 'https://example.com/a.png' }, { src: 'javascript:alert(1)' }],
        annotations: { audience: ['user', 'nobody'], priority: 0.5, lastModified: '2026-01-01T00:00:00Z' },
      },
      { name: 'has no address' },
      'not even an object',
      { uri: 'file:///a.txt', name: 'again' },
      { uri: 'file:///b.txt' },
    ],
  };

  test('keep every usable entry and skip the others with a reason', async () => {
    await connect({
      'resources/list': resources,
      'resources/templates/list': { resourceTemplates: [{ uriTemplate: 'file:///{path}', name: 'files' }, {}] },
      'prompts/list': {
        prompts: [
          { name: 'greet', description: 'Says hello.', arguments: [{ name: 'who', required: true }] },
          { name: 'odd', arguments: 'none' },
          { name: 'nameless', arguments: [{}] },
        ],
      },
    });
    expect(host.resources.resources('srv')).toEqual([
      {
        uri: 'file:///a.txt',
        name: 'a',
        title: 'A',
        mimeType: 'text/plain',
        size: 3,
        icons: [{ src: 'https://example.com/a.png' }],
        audience: ['user'],
        priority: 0.5,
        lastModified: '2026-01-01T00:00:00Z',
      },
      { uri: 'file:///b.txt', name: 'file:///b.txt' },
    ]);
    expect(host.resources.templates('srv')).toEqual([{ uriTemplate: 'file:///{path}', name: 'files' }]);
    expect((await host.getAllPrompts()).prompts).toEqual([
      { serverId: 'srv', name: 'greet', description: 'Says hello.', arguments: [{ name: 'who', required: true }] },
    ]);
    const { resourceCount, promptCount, skipped } = getHealth(host, 'srv');
    expect({ resourceCount, promptCount }).toEqual({ resourceCount: 2, promptCount: 1 });
    expect(skipped.map(({ name }) => name)).toEqual(['has no address', '#3', 'file:///a.txt', '#2', 'odd', 'nameless']);
  });

  test.each<[string, JsonObject]>([
    ['a long description', { description: 'x'.repeat(SERVER_LIMITS.listItem) }],
    ['a large schema', { inputSchema: { type: 'object', enum: Array.from({ length: 99_000 }, () => 'x'.repeat(50)) } }],
    ['a long name', { name: 'x'.repeat(SERVER_LIMITS.listItem) }],
    [
      'a deep schema',
      { inputSchema: { type: 'object', deep: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as JsonValue } },
    ],
  ])('with %s are left out, and the others stay', async (_, more) => {
    const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
    await connect({ 'tools/list': { tools: [tool('one'), { ...tool('large'), ...more }, tool('two')] } });
    const health = getHealth(host, 'srv');
    expect([health.toolCount, health.skipped.length]).toEqual([2, 1]);
    for (const { name } of health.skipped) expect(name.length).toBeLessThan(SERVER_LIMITS.name + 9);
  });

  test('end where the whole list is too long, or its cursor', async () => {
    const description = 'x'.repeat(SERVER_LIMITS.listItem / 2);
    const tools = Array.from({ length: 30 }, (_, at) => ({
      name: `t${at}`,
      description,
      inputSchema: { type: 'object' },
    }));
    await connect({ 'tools/list': { tools, nextCursor: 'next' } });
    expect(getHealth(host, 'srv').toolCount).toBe((2 * SERVER_LIMITS.list) / SERVER_LIMITS.listItem);
    expect(peer.countReceived('tools/list')).toBe(1);
    const few = tools.slice(0, 1);
    await connect({ 'tools/list': { tools: few, nextCursor: 'x'.repeat(SERVER_LIMITS.cursor + 1) } });
    expect(getHealth(host, 'srv').toolCount).toBe(1);
    expect(peer.countReceived('tools/list')).toBe(2);
  });

  test('are fetched page by page, and circular lists end', async () => {
    await connect({});
    const page = (items: object[], nextCursor?: string): object => ({
      result: { resources: items, resourceTemplates: items, prompts: items, ...(nextCursor ? { nextCursor } : {}) },
    });
    const item = (name: string): object => ({ name, uri: `x:${name}`, uriTemplate: `x:${name}/{y}` });
    for (const method of ['resources/list', 'resources/templates/list', 'prompts/list']) {
      peer.answers[method] = ({ cursor }) => (cursor === 'two' ? page([item('b')], 'two') : page([item('a')], 'two'));
    }
    await host.reconnect('srv');
    await clock.advance(0);
    expect(host.resources.resources('srv').map(({ name }) => name)).toEqual(['a', 'b']);
    expect(host.resources.templates('srv').map(({ name }) => name)).toEqual(['a', 'b']);
    expect((await host.getAllPrompts()).prompts.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('are requested only for declared capabilities', async () => {
    await connect({});
    peer.capabilities = { tools: {} };
    peer.received.length = 0;
    await host.reconnect('srv');
    await clock.advance(0);
    await host.getAllPrompts();
    const requests = peer.received.flatMap((message) => ('method' in message ? [message.method] : []));
    expect(requests).toEqual(['initialize', 'notifications/initialized', 'tools/list']);
  });

  test('other than tools do not delay connecting', async () => {
    const never = { 'resources/list': {}, 'prompts/list': {} };
    peer.answers['resources/list'] = () => ({ method: 'notifications/lost' });
    await connect(never);
    expect(getHealth(host, 'srv').state).toBe('ready');
  });

  test('that fail are logged', async () => {
    await connect({
      'resources/list': { error: { code: -32603, message: 'broken' } },
      'prompts/list': { prompts: 'none' },
    });
    expect(getHealth(host, 'srv')).toMatchObject({ state: 'ready', promptCount: 0 });
    expect(getHealth(host, 'srv').resourceCount).toBeUndefined();
    const texts = getHealth(host, 'srv').log.map(({ text }) => text);
    expect(texts).toContain('The resources of the server could not be listed.');
    expect(texts).toContain('A page of the prompt list contains no prompts array.');
  });

  test('are fetched again when they change, once per burst', async () => {
    await connect({ 'resources/list': { resources: [] }, 'prompts/list': { prompts: [] } });
    const before = peer.countReceived('resources/list');
    peer.answers['resources/list'] = () => ({ result: resources });
    peer.answers['prompts/list'] = () => ({ result: { prompts: [{ name: 'new' }] } });
    for (let time = 0; time < 200; time++) {
      peer.say({ method: 'notifications/resources/list_changed' });
      peer.say({ method: 'notifications/prompts/list_changed' });
    }
    await clock.advance(100);
    expect(peer.countReceived('resources/list')).toBe(before + 1);
    expect(getHealth(host, 'srv')).toMatchObject({ resourceCount: 2, promptCount: 1 });
  });
});

describe('other requests and notifications', () => {
  test('a request that is lost with its session is repeated in a new session', async () => {
    await connect({ 'prompts/get': { messages: [] } });
    let isForgotten = true;
    const { createTransport } = peer;
    await host.close();
    host = new McpHost({
      servers: [{ id: 'srv', transport: { type: 'in-memory', name: 'srv' } }],
      createTransport: async (config, context) => {
        const transport = await createTransport(config, context);
        const send = transport.send.bind(transport);
        transport.send = async (message, options) => {
          if (!('method' in message) || message.method !== 'prompts/get' || !isForgotten) return send(message, options);
          isForgotten = false;
          peer.asked = 'forgotten';
          try {
            return await send({ ...message, method: 'tools/call' }, options);
          } finally {
            peer.asked = 'answer';
          }
        };
        return transport;
      },
      eraMemory: peer.eraMemory,
      clock,
      clientInfo: { name: 'toolyard-test', version: '0' },
    });
    await host.connectAll();
    expect(await host.getPrompt('srv', 'greet')).toEqual({ messages: [] });
    expect(getHealth(host, 'srv').state).toBe('ready');
  });

  test("a server's log messages go to its own log from the requested level on", async () => {
    await connect({ 'logging/setLevel': {} }, { logLevel: 'warning' });
    expect(peer.received.find((message) => 'method' in message && message.method === 'logging/setLevel')).toMatchObject(
      {
        params: { level: 'warning' },
      },
    );
    peer.say({ method: 'notifications/message', params: { level: 'error', logger: 'db', data: { lost: true } } });
    await clock.advance(0);
    expect(getHealth(host, 'srv').log.at(-1)).toMatchObject({ level: 'error', text: 'db: {"lost":true}' });
    for (const data of ['x'.repeat(100_000), { rows: Array.from({ length: 50_000 }, (_, at) => `row ${at}`) }]) {
      peer.say({ method: 'notifications/message', params: { level: 'error', data } });
      await clock.advance(0);
      expect(getHealth(host, 'srv').log.at(-1)?.text.length).toBeLessThan(SERVER_LIMITS.logLine + 9);
    }
    await host.setLogLevel('debug');
    expect(peer.received.at(-1)).toMatchObject({ params: { level: 'debug' } });
  });

  test('a result that violates the outputSchema is kept and marked', async () => {
    const outputSchema = { type: 'object', properties: { count: { type: 'integer' } }, required: ['count'] };
    await connect({ 'tools/list': { tools: [{ name: 'go', inputSchema: { type: 'object' }, outputSchema }] } });
    const call = async (result: JsonObject): Promise<object> => {
      peer.answers['tools/call'] = () => ({ result });
      return host.callTool({ serverId: 'srv', name: 'go' }, {});
    };
    const text = { type: 'text', text: 'three' };
    expect(await call({ content: [text], structuredContent: { count: 3 } })).toEqual({
      content: [text],
      structured: { count: 3 },
      isError: false,
      outcome: 'done',
    });
    expect(await call({ content: [text], structuredContent: { count: 'three' } })).toMatchObject({
      content: [text, { type: 'text', text: expect.stringContaining('does not match') as string }],
      structured: { count: 'three' },
      outcome: 'done',
    });
    expect(await call({ content: [text] })).toMatchObject({ content: [text], isError: false });
    expect(getHealth(host, 'srv').log.at(-1)).toMatchObject({ level: 'warning' });
    expect(await call({ content: [text], isError: true })).toMatchObject({ content: [text], isError: true });
  });
});

describe('a modern server', () => {
  let server: ScriptedMcp;
  beforeEach(async () => {
    server = await startScriptedMcp({
      era: 'modern',
      tools: [{ name: 'go' }],
      capabilities: { resources: { subscribe: true, listChanged: true }, prompts: { listChanged: true }, logging: {} },
      answers: {
        'resources/list': { result: { resources: [{ uri: 'file:///a', name: 'a' }] } },
        'resources/templates/list': { result: { resourceTemplates: [] } },
        'resources/read': { result: { contents: [{ uri: 'file:///a', text: 'abc' }] } },
        'prompts/list': { result: { prompts: [{ name: 'greet' }] } },
      },
    });
    host = await connected([{ id: 'srv', transport: { type: 'http', url: server.url } }]);
  });
  afterEach(() => server.close());
  const listens = (): JsonObject[] => server.received.filter(({ method }) => method === 'subscriptions/listen');

  test('announces list changes and resource updates on one stream', async () => {
    await eventually(() => getHealth(host, 'srv').resourceCount === 1 && getHealth(host, 'srv').promptCount === 1);
    expect(await host.resources.read('srv', 'file:///a')).toMatchObject([{ text: 'abc' }]);
    const updates: string[] = [];
    const end = await host.resources.follow('srv', 'file:///a', () => updates.push('changed'));
    await eventually(() => listens().length === 2);
    expect(listens().at(-1)).toMatchObject({
      params: {
        notifications: {
          toolsListChanged: true,
          resourcesListChanged: true,
          promptsListChanged: true,
          resourceSubscriptions: ['file:///a'],
        },
      },
    });
    await eventually(() => {
      server.announce('notifications/resources/updated', { uri: 'file:///a' });
      return updates.length > 0;
    });
    expect(server.received.some(({ method }) => method === 'resources/subscribe')).toBe(false);
    await end();
    await eventually(() => listens().length === 3);
  });

  test('receives the log level with every request', async () => {
    await host.setLogLevel('info');
    await host.callTool({ serverId: 'srv', name: 'go' }, {});
    expect(server.received.at(-1)).toMatchObject({
      params: { _meta: { 'io.modelcontextprotocol/logLevel': 'info' } },
    });
    expect(server.received.some(({ method }) => method === 'logging/setLevel')).toBe(false);
  });
});

test('the reference server is listed, read, prompted and completed', async () => {
  host = await connected([
    { id: 'srv', transport: { type: 'stdio', command: process.execPath, args: [everything, 'stdio'] } },
  ]);
  await eventually(() => getHealth(host, 'srv').resourceCount !== undefined);
  const [first] = host.resources.resources('srv');
  expect(await host.resources.read('srv', first?.uri ?? '')).not.toEqual([]);
  expect(host.resources.templates('srv').length).toBeGreaterThan(0);
  const { prompts, failures } = await host.getAllPrompts();
  expect(failures).toEqual([]);
  const completable = prompts.find(({ name }) => name.includes('complet'));
  expect(completable).toBeDefined();
  const { values } = await host.complete(
    'srv',
    { prompt: completable?.name ?? '' },
    { name: completable?.arguments[0]?.name ?? '', value: '' },
  );
  expect(values.length).toBeGreaterThan(0);
});

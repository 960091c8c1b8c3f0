import { describe, expect, onTestFinished, test } from 'vitest';
import type { McpBehaviour } from '@toolyard/testing';
import { definitionHash } from '@toolyard/mcp-host';
import { defined } from '@toolyard/protocol';
import { eventually, ownPort, startScriptedWebSocket } from '@toolyard/testing';
import { toTabServers } from './tab-servers.ts';
import {
  addServer,
  countReceived,
  createDraft,
  FakeBrowser,
  openStore,
  RICH,
  startPeer,
} from './test-fixtures/tab-stores.ts';

const KEY = { Authorization: 'Bearer key-of-ann' };

describe('a server that is added to a tab', () => {
  test('is connected: phases, server info, capabilities, tools, resources and templates', async () => {
    const peer = await startPeer();
    const store = await openStore();
    const id = await addServer(store, createDraft('Rich', peer.url));
    expect(store.health.get(id)).toMatchObject({
      state: 'ready',
      phase: 'connected',
      protocolVersion: '2025-11-25',
      serverInfo: { name: 'rich', version: '1.2.3' },
      instructions: 'Be kind.',
      toolCount: 5,
      capabilities: { resources: true, prompts: true },
    });
    // Shown after a click only.
    expect(store.list).toMatchObject([{ id, hasIcon: true }]);
    expect(store.health.get(id)?.phases.map(({ phase }) => phase)).toEqual([
      'transport_creating',
      'transport_ready',
      'initializing',
      'capabilities_exchanged',
      'listing',
      'connected',
    ]);
    expect([store.connectedServers, store.toolCount, store.error]).toEqual([[id], 5, null]);
    await eventually(() =>
      expect(store.resources.serverResources.get(id)).toMatchObject({
        resources: [{ uri: 'x:notes' }],
        templates: [{ uriTemplate: 'x:{day}' }],
      }),
    );
  });

  test('is announced so that the server knows its tools by the same hash, whatever it is reached with', async () => {
    const peer = await startPeer();
    const store = await openStore();
    const id = await addServer(store, { ...createDraft('Rich', peer.url), headers: { 'X-Tenant': 'a', ...KEY } });
    const [offered] = toTabServers(store.tools({ servers: { [id]: true } }), store.list);
    const [tool] = offered?.tools ?? [];
    if (!offered || !tool) throw new Error('Nothing is announced.');
    expect(JSON.stringify(offered)).not.toContain('key-of-ann');
    const known = {
      id,
      transport: { type: 'http', url: offered.url },
      ...defined({ endpoint: offered.endpoint }),
    } as const;
    const hash = (await store.host()).findDefinition({ serverId: id, name: tool.name });
    expect(definitionHash(known, { ...tool, hasHeaderParameters: false })).toBe(hash);
  });

  test('does not wait for another one that never answers', async () => {
    const slow = await startPeer('hang-in-initialize');
    const fast = await startPeer();
    const store = await openStore();
    store.add(createDraft('Slow', slow.url));
    store.add(createDraft('Fast', fast.url));
    await eventually(() => expect(store.connectedServers).toEqual(['browser-fast']));
    await eventually(() =>
      expect(store.health.get('browser-slow')).toMatchObject({ state: 'connecting', phase: 'initializing' }),
    );
  });

  test('keeps its own tool where another one has a tool of the same name', async () => {
    const says = (text: string): McpBehaviour => ({ tools: [{ name: 'search', does: [{ do: 'text', text }] }] });
    const store = await openStore();
    await addServer(store, createDraft('One', (await startPeer(says('of one'))).url));
    await addServer(store, createDraft('Two', (await startPeer(says('of two'))).url));
    const call = async (name: string) => {
      const indexed = store.resolve(name);
      return indexed && (await store.executeTool(indexed.tool, {})).content;
    };
    expect(store.tools().map(({ name }) => name)).toEqual(['browser-one__search', 'browser-two__search']);
    expect(await call('browser-one__search')).toMatchObject([{ type: 'text', text: 'of one' }]);
    expect(await call('browser-two__search')).toMatchObject([{ type: 'text', text: 'of two' }]);
  });

  test('is rejected with the reason when its URL or a header is invalid', async () => {
    const store = await openStore();
    const add = (url: string, headers: Record<string, string> = {}) => store.add(createDraft('Odd', url, { headers }));
    expect(() => add('mcp.example.com')).toThrow('The URL is incomplete.');
    expect(() => add('ftp://mcp.example.com/')).toThrow('must begin with http:// or https://');
    expect(() => add('https://ann:word@mcp.example.com/')).toThrow('header');
    expect(() => add('https://mcp.example.com/', { 'a b': 'c' })).toThrow('not a valid header name');
    expect(store.list).toEqual([]);
  });

  test('that has failed is connected by a reconnect once it is there', async () => {
    const port = await ownPort();
    const store = await openStore();
    const url = `ws://127.0.0.1:${String(port)}/`;
    const id = await addServer(store, createDraft('Socket', url, { transport: 'websocket' }));
    expect(store.error).toMatchObject({ code: 'server_unreachable' });
    await expect(store.reconnect(id)).rejects.toMatchObject({ code: 'server_unreachable' });
    const peer = await startScriptedWebSocket(RICH, { port });
    onTestFinished(() => peer.close());
    await store.reconnect(id);
    expect(store.health.get(id)).toMatchObject({ state: 'ready', toolCount: 5 });
  });

  test('that is removed while it reconnects does not come back', async () => {
    const peer = await startScriptedWebSocket(RICH);
    onTestFinished(() => peer.close());
    const store = await openStore();
    const id = await addServer(store, createDraft('Socket', peer.url, { transport: 'websocket' }));
    await peer.close();
    await eventually(() => store.connectedServers.length === 0, { what: 'the loss of the connection' });
    await store.remove(id);
    expect([store.list.length, store.toolCount, store.health.size]).toEqual([0, 0, 0]);
    expect((await store.host()).configurations.size).toBe(0);
  });
});

test('an edited server is reconnected with its new headers, other servers keep their connections', async () => {
  const one = await startPeer();
  const two = await startPeer();
  const store = await openStore();
  const id = await addServer(store, createDraft('One', one.url));
  await addServer(store, createDraft('Two', two.url));
  const isReady = () => eventually(() => store.connectedServers.includes(id), { what: 'the connection' });
  const initializations = () => [countReceived(one, 'initialize'), countReceived(two, 'initialize')];

  store.edit(id, { ...store.getDraft(id), headers: { 'X-Key': 'new' } });
  await eventually(() => expect(initializations()).toEqual([2, 1]));
  await isReady();
  expect(one.requests.at(-1)?.headers['x-key']).toBe('new');
  await eventually(() => expect([one.sessionCount, two.sessionCount]).toEqual([1, 1]));

  store.edit(id, { ...store.getDraft(id), name: 'Eins' });
  await store.setEnabled(id, false);
  expect(store.list.find((server) => server.id === id)?.state).toBe('disabled');
  await eventually(() => expect(one.sessionCount).toBe(0));
  expect(initializations()).toEqual([2, 1]);
  await store.setEnabled(id, true);
  await isReady();
  await store.remove(id);
  await eventually(() => expect(one.sessionCount).toBe(0));
  expect([two.sessionCount, ...initializations()]).toEqual([1, 3, 1]);
});

describe('the servers that a browser has stored', () => {
  test('are initializing until the last one is connected or has failed, and never again', async () => {
    const rich = await startPeer();
    const late = await startPeer('hang-in-initialize');
    const browser = new FakeBrowser();
    browser.writeElsewhere([
      { id: 'browser-rich', name: 'Rich', transport: 'http', url: rich.url },
      { id: 'browser-late', name: 'Late', transport: 'http', url: late.url },
    ]);
    const store = browser.openTab();
    expect(store.isInitializing).toBe(false);
    const initialized = store.ensureInitialized();
    await eventually(() => expect(store.connectedServers).toEqual(['browser-rich']));
    expect(store.isInitializing).toBe(true);
    await eventually(() => countReceived(late, 'initialize') === 1, { what: 'the request of the server that fails' });
    await late.close();
    await initialized;
    expect(store.isInitializing).toBe(false);
    expect([...store.health].map(([id, { state }]) => [id, state])).toEqual([
      ['browser-rich', 'ready'],
      ['browser-late', 'failed'],
    ]);
    store.add(createDraft('Slow', (await startPeer('hang-in-initialize')).url));
    await eventually(() => expect(store.health.get('browser-slow')?.state).toBe('connecting'));
    await expect(store.reconnect('browser-late')).rejects.toMatchObject({ code: 'server_unreachable' });
    expect(store.isInitializing).toBe(false);
  });

  test('are connected once, in the background, however often initialization is requested', async () => {
    const peer = await startPeer();
    const browser = new FakeBrowser();
    browser.writeElsewhere([{ id: 'browser-rich', name: 'Rich', transport: 'http', url: peer.url }]);
    const store = browser.openTab();
    const requested = [store.ensureInitialized(), store.ensureInitialized()];
    expect(store.isInitializing).toBe(true);
    await Promise.all(requested);
    await store.ensureInitialized();
    expect([store.isInitializing, store.connectedServers]).toEqual([false, ['browser-rich']]);
    expect(countReceived(peer, 'initialize')).toBe(1);
  });

  test('are connected and disconnected as other tabs add and remove them', async () => {
    const one = await startPeer();
    const two = await startPeer();
    const browser = new FakeBrowser();
    const store = browser.openTab();
    await store.ensureInitialized();
    const stored = (name: string, url: string) => ({ id: `browser-${name}`, name, transport: 'http', url });
    browser.writeElsewhere([stored('one', one.url)]);
    await eventually(() => expect(store.connectedServers).toEqual(['browser-one']));
    browser.writeElsewhere([stored('two', two.url)]);
    await eventually(() => expect([store.connectedServers, one.sessionCount]).toEqual([['browser-two'], 0]));
  });

  test('do not contain header values, which other tabs have to enter again, unless the user keeps them', async () => {
    const peer = await startPeer();
    const browser = new FakeBrowser();
    const first = browser.openTab();
    await first.ensureInitialized();
    const id = await addServer(first, createDraft('Locked', peer.url, { headers: KEY }));
    const kept = () => [...browser.localStorage.items.values()].join();
    expect(first.connectedServers).toEqual([id]);
    expect(kept()).toContain('Authorization');
    expect(kept()).not.toContain('key-of-ann');

    const second = browser.openTab();
    await second.ensureInitialized();
    expect(second.list).toMatchObject([{ id, missingHeaders: ['Authorization'] }]);
    expect(countReceived(peer, 'initialize')).toBe(1);

    second.edit(id, { ...second.getDraft(id), headers: KEY, keepSecrets: true });
    await eventually(() => expect(second.connectedServers).toEqual([id]));
    expect(kept()).toContain('key-of-ann');
    const third = browser.openTab();
    await third.ensureInitialized();
    expect(third.connectedServers).toEqual([id]);
    expect(peer.requests.at(-1)?.headers.authorization).toBe(KEY.Authorization);
  });
});

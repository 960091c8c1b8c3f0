import { onTestFinished, vi } from 'vitest';
import { createWebTransports, McpHost, platformWebSocket } from '@toolyard/mcp-host';
import { systemClock } from '@toolyard/protocol';
import type { McpBehaviour, ScriptedMcp } from '@toolyard/testing';
import { eventually, startScriptedMcp } from '@toolyard/testing';
import { storedServers } from '../stored-servers.ts';
import { McpStore } from '../mcp-store.svelte.ts';
import type { BrowserServerDraft, TabHost } from '../types.ts';
import { FakeStorage } from './fake-storage.ts';

export const PIXEL = 'iVBORw0KGgo=';

/** A server with tools, resources and prompts of every kind. */
export const RICH: McpBehaviour = {
  serverInfo: { name: 'rich', version: '1.2.3', title: 'Rich', icons: [{ src: `data:image/png;base64,${PIXEL}` }] },
  instructions: 'Be kind.',
  capabilities: {
    tools: { listChanged: true },
    resources: { subscribe: true, listChanged: true },
    prompts: {},
    completions: {},
  },
  tools: [
    { name: 'echo', description: 'Gives its arguments back.', does: [{ do: 'echo' }] },
    {
      name: 'everything',
      does: [
        {
          do: 'result',
          result: {
            content: [
              { type: 'text', text: 'words' },
              { type: 'image', data: PIXEL, mimeType: 'image/png' },
              { type: 'resource', resource: { uri: 'x:inside', text: 'embedded' } },
            ],
            structuredContent: { answer: 42 },
          },
        },
      ],
    },
    { name: 'fail', does: [{ do: 'fail', text: 'the disk is full' }] },
    { name: 'broken', does: [{ do: 'error', code: -32603, message: 'out of order' }] },
    { name: 'hang', does: [{ do: 'never' }] },
  ],
  answers: {
    'resources/list': { result: { resources: [{ uri: 'x:notes', name: 'Notes', mimeType: 'text/plain' }] } },
    'resources/templates/list': { result: { resourceTemplates: [{ uriTemplate: 'x:{day}', name: 'Days' }] } },
    'resources/read': {
      result: {
        contents: [
          { uri: 'x:notes', mimeType: 'text/plain', text: 'buy milk' },
          { uri: 'x:notes', mimeType: 'image/png', blob: PIXEL },
        ],
      },
    },
    'resources/subscribe': { result: {} },
    'resources/unsubscribe': { result: {} },
    'prompts/list': { result: { prompts: [{ name: 'greet', arguments: [{ name: 'who', required: true }] }] } },
    'prompts/get': {
      result: {
        messages: [
          { role: 'user', content: { type: 'text', text: 'Say hello to Ann.' } },
          { role: 'assistant', content: { type: 'text', text: 'Hello, Ann.' } },
        ],
      },
    },
  },
};

export function createDraft(name: string, url: string, more: Partial<BrowserServerDraft> = {}): BrowserServerDraft {
  return {
    name,
    transport: 'http',
    url,
    headers: {},
    enabled: true,
    useProxy: false,
    keepSecrets: false,
    ...more,
  };
}

/** A scripted MCP server which is closed after the test. */
export async function startPeer(behaviour: McpBehaviour | 'hang-in-initialize' = RICH): Promise<ScriptedMcp> {
  const peer = await startScriptedMcp(behaviour);
  onTestFinished(() => peer.close());
  return peer;
}

/** How often a server received a message of this method. */
export function countReceived(peer: Pick<ScriptedMcp, 'received'>, method: string): number {
  return peer.received.filter((message) => message['method'] === method).length;
}

/** A browser with empty storages. Its tabs share localStorage; each has its own sessionStorage. */
export class FakeBrowser {
  readonly localStorage = new FakeStorage();
  readonly #events = new EventTarget();

  /** Opens the stores of a tab. The storages of the last opened tab are the ones in use. */
  openTab(): McpStore {
    vi.stubGlobal('localStorage', this.localStorage);
    vi.stubGlobal('sessionStorage', new FakeStorage());
    vi.stubGlobal('addEventListener', this.#events.addEventListener.bind(this.#events));
    vi.stubGlobal('removeEventListener', this.#events.removeEventListener.bind(this.#events));
    const store = new McpStore({ storage: storedServers, load: async () => directHost });
    onTestFinished(() => store.shutdown(0));
    return store;
  }

  /** Writes the stored servers as another tab would. */
  writeElsewhere(entries: readonly object[]): void {
    const [key, newValue] = ['toolyard:mcp-servers:1', JSON.stringify(entries)];
    this.localStorage.setItem(key, newValue);
    this.#events.dispatchEvent(Object.assign(new Event('storage'), { key, newValue }));
  }
}

/** The store of a tab in a browser of its own, initialized, without servers. */
export async function openStore(): Promise<McpStore> {
  const store = new FakeBrowser().openTab();
  await store.ensureInitialized();
  return store;
}

/** Adds a server and waits until its connection is open or has failed. @returns its id */
export async function addServer(store: McpStore, draft: BrowserServerDraft): Promise<string> {
  const { id } = store.add(draft);
  await eventually(
    () => {
      const state = store.list.find((one) => one.id === id)?.state;
      return state !== undefined && state !== 'idle' && state !== 'connecting';
    },
    { what: `the connection to ${id}` },
  );
  return id;
}

/** The host of a tab without what only a browser has: the network worker, the proxy and sign-in. */
const directHost: TabHost = {
  createTabHost: () =>
    new McpHost({
      servers: [],
      origin: 'tab',
      createTransport: createWebTransports({ fetch, openWebSocket: platformWebSocket }),
      clock: systemClock,
      clientInfo: { name: 'toolyard-test', version: '0' },
    }),
  definitionTokens: () => 1,
  testServer: () => Promise.reject(new Error('Testing a server needs the network of a browser.')),
};

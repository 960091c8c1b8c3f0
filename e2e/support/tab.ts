import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect } from 'vitest';
import type { ServerHealth } from '@toolyard/mcp-host';
import type { McpBehaviour } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { describeInBrowser } from './page-stage.ts';
import type { Stage } from './stage.ts';
import { setStage } from './stage.ts';
import type { Draft, TabStore } from './tab-page.ts';
import { startTabFront } from './tab-page.ts';

// In the page only.
declare const mcpStore: TabStore;

export const PIXEL = 'iVBORw0KGgo=';

/** A server with everything the flows ask for. */
export const RICH: McpBehaviour = {
  serverInfo: { name: 'rich', version: '1.2.3', title: 'Rich' },
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

export function draftOf(name: string, url: string, more: Partial<Draft> = {}): Draft {
  const reach = { transport: 'http', url, headers: {}, useProxy: false } as const;
  return { name, ...reach, enabled: true, keepSecrets: false, ...more };
}

/** A browser window with nothing but the stores of its MCP servers, at a server whose proxy may go to these origins. */
export type Tab = AsyncDisposable & {
  page: Page;
  stage: Stage;
  /** Loads it anew, as a person does. */
  reload: () => Promise<void>;
  /** Adds a server and waits until it is connected, or will not be. */
  add: (draft: Draft) => Promise<string>;
  health: (id: string) => Promise<ServerHealth | null>;
  /** Waits until a server is in this state. */
  becomes: (id: string, state: ServerHealth['state']) => Promise<void>;
  /** From here on time passes in the page only as its `clock` is told: what waits there goes on waiting. */
  stopTime: () => Promise<void>;
};

export async function openTab(allow: readonly string[] = []): Promise<Tab> {
  const args = ['--ui-mcp-proxy', ...allow.flatMap((origin) => ['--proxy-allow', origin])];
  const stage = await setStage(() => reply.text('Hello.'), { args });
  const front = await startTabFront(stage.server.url);
  // Something small of the server: the page itself is loaded from the front.
  const page = await stage.open('/health');
  const load = async (): Promise<void> => {
    await page.goto(front.page);
    await page.waitForFunction(() => 'mcpStore' in globalThis);
    await page.evaluate(() => mcpStore.ensureInitialized());
  };
  await load();
  return {
    page,
    stage,
    reload: load,
    async add(draft) {
      const id = await page.evaluate((entered) => mcpStore.add(entered).id, draft);
      await page.waitForFunction((of) => {
        const state = mcpStore.list.find((one) => one.id === of)?.state;
        return state !== 'idle' && state !== 'connecting';
      }, id);
      return id;
    },
    health: (id) => page.evaluate((of) => mcpStore.health.get(of) ?? null, id),
    async becomes(id, state) {
      const wanted = { id, state };
      await page.waitForFunction((is) => mcpStore.list.find((one) => one.id === is.id)?.state === is.state, wanted);
    },
    async stopTime() {
      await page.clock.install();
      await page.clock.pauseAt(Date.now() + 60_000);
    },
    async [Symbol.asyncDispose]() {
      await page.close();
      await front[Symbol.asyncDispose]();
      await stage[Symbol.asyncDispose]();
      // A browser's own word for a server that lets no page in is what some tests are about.
      expect(stage.complaints.filter((text) => !/CORS policy|WebSocket connection to/.test(text))).toEqual([]);
    },
  };
}

/** Tests of the MCP servers of a tab (see {@link openTab}): what a test uses is disposed of after it. */
export function describeTab(name: string, body: (undo: Pick<AsyncDisposableStack, 'use'>) => void): void {
  describeInBrowser(name, () => {
    let stack = new AsyncDisposableStack();
    beforeEach(() => {
      stack = new AsyncDisposableStack();
    });
    afterEach(() => stack.disposeAsync());
    body({ use: (value) => stack.use(value) });
  });
}

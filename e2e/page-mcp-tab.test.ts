import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { McpBehaviour } from '@toolyard/testing';
import { eventually, reply, startScriptedMcp, startScriptedSse, startScriptedWebSocket } from '@toolyard/testing';
import { closeBrowser, NO_BROWSER } from './support/browser.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';
import type { Draft, TabResources, TabStore } from './support/tab-page.ts';
import { removeTabPage, startTabFront } from './support/tab-page.ts';

// In the page only.
declare const mcpStore: TabStore;
declare const mcpResourceStore: TabResources;

const PIXEL = 'iVBORw0KGgo=';

/** A server with everything the flows ask for. */
const RICH: McpBehaviour = {
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
    { name: 'hang', does: [{ do: 'never' }] },
  ],
  answers: {
    'resources/list': { result: { resources: [{ uri: 'x:notes', name: 'Notes', mimeType: 'text/plain' }] } },
    'resources/templates/list': { result: { resourceTemplates: [{ uriTemplate: 'x:{day}', name: 'Days' }] } },
    'resources/read': { result: { contents: [{ uri: 'x:notes', mimeType: 'text/plain', text: 'buy milk' }] } },
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

const draft = (name: string, url: string, more: Partial<Draft> = {}): Draft => ({
  name,
  transport: 'http',
  url,
  headers: {},
  enabled: true,
  useProxy: false,
  keepSecrets: false,
  ...more,
});

/** Adds a server and waits until it is connected or has failed. */
async function add(page: Page, wanted: Draft): Promise<string> {
  return page.evaluate(async (entered) => {
    await mcpStore.ensureInitialized();
    const { id } = mcpStore.add(entered);
    for (;;) {
      const state = mcpStore.list.find((one) => one.id === id)?.state;
      if (state !== 'idle' && state !== 'connecting') return id;
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }, wanted);
}

const health = (page: Page, id: string) => page.evaluate((of) => mcpStore.health.get(of) ?? null, id);

describe.skipIf(NO_BROWSER !== null)(`MCP servers of a tab${NO_BROWSER === null ? '' : ` (${NO_BROWSER})`}`, () => {
  let stage: Stage;
  let page: Page;
  let front: Awaited<ReturnType<typeof startTabFront>>;
  let undo = new AsyncDisposableStack();

  /** A window on the stores of a tab; the proxy of its server may go to these origins. */
  async function open(allow: readonly string[] = []): Promise<Page> {
    const args = ['--ui-mcp-proxy', ...allow.flatMap((origin) => ['--proxy-allow', origin])];
    stage = undo.use(await setStage(() => reply.text('Hello.'), { args }));
    front = undo.use(await startTabFront(stage.server.url));
    page = await stage.open();
    await load();
    return page;
  }

  async function load(): Promise<void> {
    await page.goto(front.page);
    await page.waitForFunction(() => 'mcpStore' in globalThis);
  }

  beforeEach(() => {
    undo = new AsyncDisposableStack();
  });
  afterEach(async () => {
    const complaints = stage.complaints.filter((text) => !/CORS policy/.test(text));
    await undo.disposeAsync();
    expect(complaints).toEqual([]);
  });
  afterAll(async () => {
    await closeBrowser();
    await removeTabPage();
  });

  describe('flow initialization', () => {
    test('connects over Streamable HTTP from the tab itself: phases, tools, resources and templates', async () => {
      const peer = undo.use(await startScriptedMcp(RICH, { cors: {} }));
      await open();
      const id = await add(page, draft('Rich', peer.url));
      console.log(JSON.stringify(await health(page, id), null, 1), peer.requests, stage.complaints);
      expect(await health(page, id)).toMatchObject({
        state: 'ready',
        phase: 'connected',
        serverInfo: { name: 'rich', version: '1.2.3' },
        instructions: 'Be kind.',
        toolCount: 4,
        capabilities: { resources: true, prompts: true },
      });
      const phases = (await health(page, id))?.phases.map(({ phase }) => phase);
      expect(phases).toEqual([
        'transport_creating',
        'transport_ready',
        'initializing',
        'capabilities_exchanged',
        'listing',
        'connected',
      ]);
      expect(await page.evaluate(() => [mcpStore.connectedServers, mcpStore.toolCount, mcpStore.error])).toEqual([
        [id],
        4,
        null,
      ]);
      await page.waitForFunction(() => [...mcpResourceStore.serverResources.values()][0]?.templates.length === 1);
      const listed = await page.evaluate((of) => mcpResourceStore.serverResources.get(of), id);
      expect(listed).toMatchObject({ resources: [{ uri: 'x:notes' }], templates: [{ uriTemplate: 'x:{day}' }] });
      // The browser itself went there, not the server of the page.
      expect(peer.requests.find(({ method }) => method === 'POST')?.headers.origin).toBe(new URL(page.url()).origin);
    });
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { FrameLocator, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { JsonObject, McpServerList } from '@toolyard/protocol';
import { isJsonObject } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply, writePdf } from '@toolyard/testing';
import { appServerProgram } from '@toolyard/testing/app-servers';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type App = { page: Page; frame: FrameLocator; allow: (choice: 'once' | 'chat') => Promise<void> };
type Example = {
  name: string;
  tool: string;
  args?: (folder: string) => JsonObject;
  /** Arguments of its program. */
  more?: (folder: string) => string[];
  /** An origin that the app declares: the user is asked first. */
  needs?: string;
  /** Waits for what the app shows; what it cannot show without the internet is its own message. */
  shows: (app: App) => Promise<void>;
  /** One thing a user does with it. */
  interaction?: (app: App) => Promise<void>;
};

const sees = (frame: FrameLocator, text: string | RegExp) => frame.getByText(text).first().waitFor();
const clock: Pick<Example, 'tool' | 'shows' | 'interaction'> = {
  tool: 'get-time',
  shows: ({ frame }) => sees(frame, /20\d\d-\d\d-\d\dT/),
  async interaction({ frame, allow }) {
    const time = frame.getByText(/20\d\d-\d\d-\d\dT/);
    const before = await time.first().innerText();
    await frame.getByRole('button', { name: 'Get Server Time' }).click();
    await allow('once');
    await expect.poll(() => time.first().innerText()).not.toBe(before);
  },
};
/** Moves the first slider, and waits for a text. */
const slides =
  (to: string, text: string) =>
  async ({ frame }: App): Promise<void> => {
    await frame.locator('input[type=range]').first().fill(to);
    await sees(frame, text);
  };

const EXAMPLES: readonly Example[] = [
  { name: 'basic-react', ...clock },
  { name: 'basic-svelte', ...clock },
  {
    name: 'budget-allocator',
    tool: 'get-budget-data',
    shows: ({ frame }) => sees(frame, '25.0%'),
    interaction: slides('50', '50.0%'),
  },
  {
    name: 'cohort-heatmap',
    tool: 'get-cohort-data',
    // It requests its data itself.
    async shows({ frame, allow }) {
      await allow('chat');
      await sees(frame, 'M11');
    },
    async interaction({ frame }) {
      // Its server invents new numbers for each request.
      const before = await frame.locator('body').innerText();
      await frame.locator('select').nth(1).selectOption('weekly');
      await expect.poll(() => frame.locator('body').innerText()).not.toBe(before);
      await sees(frame, 'M11');
    },
  },
  {
    name: 'customer-segmentation',
    tool: 'get-customer-data',
    shows: ({ frame }) => frame.locator('canvas').waitFor(),
    async interaction({ frame }) {
      const axis = frame.locator('select').first();
      await axis.selectOption('Engagement');
      expect(await axis.locator('option:checked').innerText()).toBe('Engagement');
    },
  },
  {
    name: 'map',
    tool: 'show-map',
    needs: 'https://*.cesium.com',
    shows: ({ frame }) => frame.locator('canvas').or(frame.getByText('Failed to load CesiumJS')).first().waitFor(),
  },
  {
    name: 'pdf',
    tool: 'display_pdf',
    more: (folder) => [join(folder, 'tides.pdf')],
    args: (folder) => ({ url: pathToFileURL(join(folder, 'tides.pdf')).href }),
    needs: 'https://unpkg.com',
    async shows({ frame, allow }) {
      await allow('chat');
      await frame.locator('#pdf-canvas').waitFor();
    },
    async interaction({ frame }) {
      const before = await frame.locator('#zoom-level').innerText();
      await frame.locator('#zoom-in-btn').click();
      await expect.poll(() => frame.locator('#zoom-level').innerText()).not.toBe(before);
    },
  },
  {
    name: 'scenario-modeler',
    tool: 'get-scenario-data',
    shows: ({ frame }) => sees(frame, '$63.4K'),
    interaction: slides('100000', '$100K'),
  },
  {
    name: 'sheet-music',
    tool: 'play-sheet-music',
    args: () => ({ abcNotation: 'X:1\nT:Tides\nM:4/4\nL:1/4\nK:C\nC D E F | G A B c |' }),
    needs: 'https://paulrosen.github.io',
    shows: ({ frame }) => frame.locator('svg path').first().waitFor(),
  },
  {
    name: 'system-monitor',
    tool: 'get-system-info',
    async shows({ frame, allow }) {
      await allow('chat');
      await sees(frame, /^\d+%$/);
    },
    async interaction({ frame }) {
      await frame.getByRole('button', { name: 'Stop' }).click();
      await frame.getByRole('button', { name: 'Start' }).waitFor();
    },
  },
  { name: 'threejs', tool: 'show_threejs_scene', shows: ({ frame }) => frame.locator('canvas').first().waitFor() },
];

/** Calls the tool of the example for each message of the user. */
const callsTool =
  ({ tool }: Example, args: JsonObject): ModelScript =>
  ({ body }) => {
    const messages = isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
    const last = messages.at(-1);
    return isJsonObject(last) && last['role'] === 'user'
      ? reply.toolCalls([{ name: tool, arguments: args }])
      : reply.text('Here it is.');
  };

describePage('example servers of MCP Apps', ({ set }) => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolyard-apps-'));
    writePdf(join(folder, 'tides.pdf'), 'low tide at six');
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each(EXAMPLES)('$name', async (example) => {
    const args = [await appServerProgram(example.name), '--stdio', ...(example.more?.(folder) ?? [])];
    const config = join(folder, 'mcp.json');
    writeFileSync(config, JSON.stringify({ mcpServers: { example: { command: process.execPath, args } } }));
    const stage = await set(callsTool(example, example.args?.(folder) ?? {}), {
      args: ['--mcp-config', config],
      direct: true,
    });
    const page = await stage.open();
    await eventually(
      async () => {
        const { items } = await call<McpServerList>(stage.server.url, 'GET', '/api/mcp/servers');
        return items.some(({ id, state }) => id === 'example' && state === 'ready');
      },
      { what: 'the connection to the server' },
    );
    const chat = chatPage(page);
    await chat.send('Show it');
    await page.getByRole('button', { name: 'Allow once' }).click();
    await chat.reads('Here it is.');
    const card = page.locator('[data-app]');
    if (example.needs !== undefined) {
      await card.getByText(example.needs, { exact: true }).waitFor();
      await card.getByRole('button', { name: 'Allow and show app' }).click();
    }
    const app: App = {
      page,
      frame: card.locator('iframe').contentFrame().locator('iframe').contentFrame(),
      async allow(choice) {
        const dialog = page.getByRole('dialog');
        if (choice === 'once') return dialog.getByRole('button', { name: 'Allow once' }).click();
        await dialog.getByRole('button', { name: 'More ways to allow' }).click();
        await page.getByRole('menuitem', { name: 'Allow for this chat' }).click();
      },
    };
    await example.shows(app);
    await example.interaction?.(app);
    // Apps log as they like.
    stage.complaints.splice(0);
  });
});

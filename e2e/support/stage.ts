import { fileURLToPath } from 'node:url';
import type { BrowserContext, BrowserContextOptions, Page } from 'playwright-core';
import type { McpServerList } from '@toolyard/protocol';
import type { ModelScript, ModelServer, ModelServerOptions } from '@toolyard/testing';
import { eventually, startModelServer } from '@toolyard/testing';
import { call } from './api.ts';
import { launchBrowser } from './browser.ts';
import type { CuttableLine } from './cuttable-line.ts';
import { layLine } from './cuttable-line.ts';
import type { ScriptedServers } from './scripted-tools.ts';
import { scriptTools } from './scripted-tools.ts';
import type { ServerProcess } from './server.ts';
import { startServerProcess } from './server.ts';

export type Stage = AsyncDisposable & {
  model: ModelServer;
  server: ServerProcess;
  /** Between every page and the server. */
  line: CuttableLine;
  /** A browser window of its own: nothing is shared with the others but the server. */
  open: (path?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** A second tab beside a page. */
  openBeside: (page: Page, path: string) => Promise<Page>;
  /** What no page should have said: errors in the console, thrown and unhandled. Whoever has looked may take them out. */
  complaints: string[];
  /** Puts pictures of the open pages into `.cache/e2e`, for whoever wants to know why a test failed. */
  photograph: (name: string) => Promise<void>;
};

/** A scripted model, a `toolyard serve` that uses it, and browser windows on its page. */
export async function setStage(
  script: ModelScript,
  options: {
    servers?: ScriptedServers;
    /** What the model server lists. */
    models?: NonNullable<ModelServerOptions['models']>;
    env?: NodeJS.ProcessEnv;
    args?: string[];
  } = {},
): Promise<Stage> {
  const model = await startModelServer(script, options.models ? { models: options.models } : {});
  const tools = scriptTools(options.servers ?? {});
  const server = await startServerProcess({
    // Pages come by the line, which has another port than the server.
    args: ['--allow-host', '127.0.0.1', ...tools.args, ...(options.args ?? [])],
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-stage', ...options.env },
  });
  const line = await layLine(() => Number(new URL(server.url).port));
  const complaints: string[] = [];
  const contexts: BrowserContext[] = [];

  function listen(page: Page): void {
    // Shorter than that of a test: what was waited for is told.
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      // A browser calls every refused or lost request an error; what comes of it is seen in the page.
      if (message.type() !== 'error' || /Failed to load resource|net::ERR_/.test(message.text())) return;
      complaints.push(`${page.url()}: ${message.text()}`);
    });
  }

  /** A run waits some seconds for servers that are connecting, and does without those that take longer. */
  async function connected(): Promise<void> {
    const wanted = Object.keys(options.servers ?? {});
    if (wanted.length === 0) return;
    await eventually(
      async () => {
        const { items } = await call<McpServerList>(server.url, 'GET', '/api/mcp/servers');
        return wanted.every((id) => items.some((one) => one.id === id && one.state === 'ready'));
      },
      { what: 'the connection to all servers' },
    );
  }

  return {
    model,
    server,
    line,
    complaints,
    async photograph(name) {
      const folder = fileURLToPath(new URL('../../.cache/e2e/', import.meta.url));
      const pages = contexts.flatMap((context) => context.pages());
      for (const [index, page] of pages.entries()) {
        const path = `${folder}${name.replaceAll(/[^\w]+/g, '-').slice(0, 60)}-${String(index)}.png`;
        await page.screenshot({ path }).catch(() => undefined);
      }
    },
    async open(path = '/', contextOptions = {}) {
      const browser = await launchBrowser();
      const context = await browser.newContext({ locale: 'en-US', reducedMotion: 'reduce', ...contextOptions });
      contexts.push(context);
      const page = await context.newPage();
      listen(page);
      await Promise.all([page.goto(line.url + path), connected()]);
      return page;
    },
    async openBeside(beside, path) {
      const page = await beside.context().newPage();
      listen(page);
      await page.goto(line.url + path);
      return page;
    },
    async [Symbol.asyncDispose]() {
      for (const context of contexts) await context.close();
      await line.close();
      await server[Symbol.asyncDispose]();
      await model.close();
      tools[Symbol.dispose]();
    },
  };
}

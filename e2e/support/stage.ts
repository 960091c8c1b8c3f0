import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { McpServerList, RunRecord, SignInLink } from '@toolyard/protocol';
import type { ModelScript, ModelServer, ModelServerOptions } from '@toolyard/testing';
import { eventually, startModelServer } from '@toolyard/testing';
import { call, useAccessToken } from './api.ts';
import type { ConnectionProxy } from './connection-proxy.ts';
import { startWorkerProxy } from './connection-proxy.ts';
import type { LocalServer } from './local-server.ts';
import { startLocalServer } from './local-server.ts';
import type { StageContext } from './reused-context.ts';
import { borrowContext, openContext } from './reused-context.ts';
import type { ScriptedServers } from './scripted-tools.ts';
import { scriptTools } from './scripted-tools.ts';
import type { ServerProcess } from './server.ts';
import { startServerProcess } from './server.ts';

/** Common to both ways of running the server. */
type AnyServer = AsyncDisposable & Pick<LocalServer, 'url' | 'dataDir' | 'log'>;

/** A scripted model, a `toolyard serve` that uses it, and browser windows on its page. */
export type Stage<Server extends AnyServer = AnyServer> = AsyncDisposable & {
  model: ModelServer;
  server: Server;
  /** Between every page and the server. */
  line: ConnectionProxy;
  /**
   * A page in a browser context of its own: it shares only the server with others. It is loaded, and the servers of the
   * stage are connected.
   */
  open: (path?: string, options?: BrowserContextOptions) => Promise<Page>;
  /** A second tab beside a page. */
  openBeside: (page: Page, path: string) => Promise<Page>;
  /** Errors of the pages: logged, thrown, unhandled. A test that expects some removes them. */
  complaints: string[];
  /** Saves screenshots of the open pages to `.cache/e2e`, to show why a test failed. */
  screenshot: (name: string) => Promise<void>;
};

export type StageOptions = {
  servers?: ScriptedServers;
  /** The models listed by the model server. */
  models?: NonNullable<ModelServerOptions['models']>;
  /** True starts the bundled date server as well; most tests save its process. */
  date?: boolean;
  env?: NodeJS.ProcessEnv;
  args?: string[];
  /** True: pages connect without `line`, at the own port of the server: only there they have frames on a second port. */
  direct?: boolean;
  /**
   * How pages sign in. Default: by link, as users do. `by hand`: the test does it. `no token`: the server requires no
   * access token, and a request without the session is accepted as well.
   */
  signIn?: 'by link' | 'by hand' | 'no token';
};

/** Runs the server in the process of the test, which is sufficient for most tests and costs a tenth to start. */
export function setStage(script: ModelScript, options: StageOptions = {}): Promise<Stage<LocalServer>> {
  return setStageOn(startLocalServer, script, options);
}

/** Runs the server in a process of its own, which a test can kill. */
export function setProcessStage(script: ModelScript, options: StageOptions = {}): Promise<Stage<ServerProcess>> {
  return setStageOn(startServerProcess, script, options);
}

async function setStageOn<Server extends AnyServer>(
  start: (options: { args: string[]; env: NodeJS.ProcessEnv; token?: boolean }) => Promise<Server>,
  script: ModelScript,
  options: StageOptions,
): Promise<Stage<Server>> {
  const model = await startModelServer(script, options.models ? { models: options.models } : {});
  const tools = scriptTools(options.servers ?? {});
  const date = options.date ? [] : ['--no-date'];
  const { signIn = 'by link' } = options;
  const server = await start({
    token: signIn !== 'no token',
    // Pages use the proxy, which has another port than the server.
    args: ['--allow-host', '127.0.0.1', ...date, ...tools.args, ...(options.args ?? [])],
    env: { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-stage', ...options.env },
  });
  const line = await startWorkerProxy(() => Number(new URL(server.url).port));
  if (signIn !== 'no token') useAccessToken(server.url, readAccessToken(server));
  const base = (): string => (options.direct ? server.url : line.url);
  const complaints: string[] = [];
  const contexts: StageContext[] = [];

  function listen(page: Page): void {
    // Shorter than the timeout of a test, so that the error names what it waited for.
    page.setDefaultTimeout(60_000);
    page.on('pageerror', (error) => complaints.push(`${page.url()}: ${error.stack ?? error.message}`));
    page.on('console', (message) => {
      // A browser logs every rejected or lost request as an error; tests check its effect in the page.
      if (message.type() !== 'error' || /Failed to load resource|net::ERR_/.test(message.text())) return;
      complaints.push(`${page.url()}: ${message.text()}`);
    });
  }

  /** A run waits some seconds for connecting servers, and continues without slower ones. */
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

  const getAddress = async (path: string): Promise<string> =>
    base() + path + (signIn === 'by link' ? await signInFragment(server.url) : '');

  return {
    model,
    server,
    line,
    complaints,
    async screenshot(name) {
      const folder = fileURLToPath(new URL('../../.cache/e2e/', import.meta.url));
      const pages = contexts.flatMap(({ context }) => context.pages());
      for (const [index, page] of pages.entries()) {
        const path = `${folder}${name.replaceAll(/[^\w]+/g, '-').slice(0, 60)}-${String(index)}.png`;
        await page.screenshot({ path }).catch(() => undefined);
      }
    },
    async open(path = '/', contextOptions) {
      const context = await (contextOptions ? openContext(contextOptions) : borrowContext(base()));
      contexts.push(context);
      const page = await context.newPage();
      listen(page);
      await Promise.all([load(page, await getAddress(path)), connected()]);
      return page;
    },
    async openBeside(beside, path) {
      const context = contexts.find((one) => one.context.pages().includes(beside));
      if (!context) throw new Error('the page is not one of this stage');
      const page = await context.newPage();
      listen(page);
      await load(page, base() + path);
      return page;
    },
    async [Symbol.asyncDispose]() {
      // A stage may be disposed of twice.
      for (const context of contexts.splice(0)) await context.release();
      await cancelRuns(server.url);
      await line.close();
      useAccessToken(server.url, null);
      await server[Symbol.asyncDispose]();
      await model.close();
      tools[Symbol.dispose]();
    },
  };
}

/**
 * Opens a page of Toolyard and waits for its scripts: the load event comes before they have run. Until then the placeholder has
 * a composer that accepts text and sends nothing.
 */
export async function load(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await page.locator('#placeholder').waitFor({ state: 'detached' });
}

/** Behind any path of the page, it signs in the browser that opens it, once. */
export async function signInFragment(url: string): Promise<string> {
  const { path } = await call<SignInLink>(url, 'POST', '/api/access/links', {});
  return new URL(path, url).hash;
}

/** The access token in the data folder of a server. */
export function readAccessToken({ dataDir }: Pick<AnyServer, 'dataDir'>): string {
  return readFileSync(join(dataDir, 'access-token'), 'utf8').trim();
}

/** Closing the server waits some seconds for executing tool calls. */
async function cancelRuns(url: string): Promise<void> {
  // A test may have stopped the server.
  const running = await call<{ items: RunRecord[] }>(url, 'GET', '/api/runs?status=running').catch(() => null);
  for (const { id } of running?.items ?? []) await call(url, 'POST', `/api/runs/${id}/cancel`, {}).catch(() => null);
}

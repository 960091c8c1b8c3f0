import type { Browser, BrowserContext, BrowserContextOptions, CDPSession, Page } from 'playwright-core';
import { launchBrowser } from './browser.ts';

/** What every page of a test has unless the test sets it. */
const DEFAULTS: BrowserContextOptions = { locale: 'en-US', reducedMotion: 'reduce' };

/** What a page has stored in its origin, except what a reset removes. */
const LEFT_IN_ORIGIN = `(async () => {
  localStorage.clear();
  const left = [];
  for (const { name } of await indexedDB.databases()) left.push(name);
  for (const name of await caches.keys()) left.push(name);
  for (const { scope } of await navigator.serviceWorker.getRegistrations()) left.push(scope);
  for await (const name of (await navigator.storage.getDirectory()).keys()) left.push(name);
  if (document.cookie !== '') left.push(document.cookie);
  return left;
})()`;

/** A browser context of one stage: nothing of it is visible to a later stage. */
export type StageContext = {
  readonly context: BrowserContext;
  newPage(): Promise<Page>;
  /** Closes its pages, and the context unless another stage can reuse it. */
  release(): Promise<void>;
};

/** The context of the last stage of this worker, reset. */
let idle: ReusedContext | undefined;

/** Returns a context with these options, which is closed when released. */
export async function openContext(options: BrowserContextOptions): Promise<StageContext> {
  const context = await (await launchBrowser()).newContext({ ...DEFAULTS, ...options });
  return { context, newPage: () => context.newPage(), release: () => context.close() };
}

/**
 * Returns a context with the default options for pages of this origin. It is reset and reused for the next stage with
 * the same origin: a new renderer process, which compiles the scripts of the page again, is a quarter of the cost of a
 * test. It is closed instead if the test changed anything that its pages share, or visited another origin.
 */
export async function borrowContext(origin: string): Promise<StageContext> {
  const browser = await launchBrowser();
  const last = idle;
  idle = undefined;
  if (last?.origin === origin && last.browser === browser) return last;
  await last?.context.close();
  return new ReusedContext(browser, origin, await browser.newContext(DEFAULTS));
}

function keep(context: ReusedContext): void {
  idle = context;
}

class ReusedContext implements StageContext {
  readonly browser: Browser;
  readonly origin: string;
  readonly context: BrowserContext;
  /** A hidden page: the renderer process would exit with the last page. */
  #keeper: { page: Page; session: CDPSession } | undefined;
  /** True if something changed that a reset does not undo. */
  #isChanged = false;
  /** True while the reset itself calls the context. */
  #isResetting = false;

  constructor(browser: Browser, origin: string, context: BrowserContext) {
    this.browser = browser;
    this.origin = origin;
    this.context = context;
    // Including pages opened by a page.
    context.on('page', (page) => this.#watch(page));
    for (const part of [context, context.clock, context.tracing]) this.#watchCalls(part);
    const pages = context.pages.bind(context);
    context.pages = () => pages().filter((page) => page !== this.#keeper?.page);
  }

  newPage(): Promise<Page> {
    return this.context.newPage();
  }

  async release(): Promise<void> {
    if (idle === undefined && (await this.#reset())) keep(this);
    else await this.context.close();
  }

  /** What a page has stored in another origin is not removed. */
  #watch(page: Page): void {
    page.on('framenavigated', (frame) => {
      const url = frame.url();
      if (/^https?:/.test(url) && new URL(url).origin !== this.origin) this.#isChanged = true;
    });
  }

  /** Routes, init scripts, permissions, the clock, listeners: any method may change what later pages get. */
  #watchCalls(part: object): void {
    for (const name of listMethods(part)) {
      const method: unknown = Reflect.get(part, name);
      if (typeof method !== 'function') continue;
      const watched = (...given: unknown[]): unknown => {
        if (!this.#isResetting) this.#isChanged = true;
        return Reflect.apply(method, part, given);
      };
      Reflect.set(part, name, watched);
    }
  }

  /** False: the context must be closed. */
  async #reset(): Promise<boolean> {
    if (this.#isChanged) return false;
    this.#isResetting = true;
    try {
      const { page, session } = (this.#keeper ??= await this.#openKeeper());
      for (const each of this.context.pages()) await each.close();
      await this.context.clearCookies();
      await clearCaches(session);
      // In the process of the pages, after they were closed: they can write nothing afterwards.
      const left = await page.evaluate<string[]>(LEFT_IN_ORIGIN);
      return left.length === 0 && !this.#isChanged;
    } catch {
      // The renderer or the browser has crashed.
      return false;
    } finally {
      this.#isResetting = false;
    }
  }

  /** An empty page of the origin; no server is needed. */
  async #openKeeper(): Promise<{ page: Page; session: CDPSession }> {
    const page = await this.context.newPage();
    await page.route('**', (route) => route.fulfill({ contentType: 'text/html', body: '' }));
    await page.goto(this.origin);
    await page.unroute('**');
    const session = await this.context.newCDPSession(page);
    await session.send('Network.enable');
    return { page, session };
  }
}

/** Methods that change nothing in later pages. */
const HARMLESS: ReadonlySet<string> = new Set(['constructor', 'newPage', 'pages', 'close', 'browser', 'isClosed']);

function listMethods(part: object): string[] {
  const own = Object.getOwnPropertyNames(Object.getPrototypeOf(part));
  const listening = ['on', 'once', 'addListener', 'prependListener'].filter((name) => name in part);
  return [...own.filter((name) => !name.startsWith('_') && !HARMLESS.has(name)), ...listening];
}

/** A test may cut the connection before a module is loaded: it must not be cached. */
async function clearCaches(session: CDPSession): Promise<void> {
  await session.send('Network.clearBrowserCache');
  // Disabling the cache evicts the resources in the memory of the renderer.
  await session.send('Network.setCacheDisabled', { cacheDisabled: true });
  await session.send('Network.setCacheDisabled', { cacheDisabled: false });
}

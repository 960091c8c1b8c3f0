import type { Browser, BrowserContext, Page } from 'playwright-core';
import { COVERAGE_VARIABLE, writeRecord } from '../../scripts/coverage/record.ts';

/** While `npm run coverage` runs, every page of this browser records its coverage; otherwise does nothing. */
export function recordCoverage(browser: Browser): void {
  const folder = process.env[COVERAGE_VARIABLE];
  if (folder === undefined) return;
  const newContext = browser.newContext.bind(browser);
  browser.newContext = async (options) => {
    const context = await newContext(options);
    recordContext(context, folder);
    return context;
  };
  browser.newPage = async (options) => {
    const context = await browser.newContext(options);
    const page = await context.newPage();
    const close = page.close.bind(page);
    // As in Playwright: the context of such a page closes with it.
    page.close = async (how) => {
      await close(how);
      await context.close();
    };
    return page;
  };
}

function recordContext(context: BrowserContext, folder: string): void {
  const pages = new Map<Page, () => Promise<void>>();
  const newPage = context.newPage.bind(context);
  const close = context.close.bind(context);
  context.newPage = async () => {
    const page = await newPage();
    pages.set(page, await recordPage(page, folder));
    return page;
  };
  context.close = async (how) => {
    for (const [page, write] of pages) if (!page.isClosed()) await write();
    await close(how);
  };
}

/** Returns a function that writes the coverage so far and continues recording. */
async function recordPage(page: Page, folder: string): Promise<() => Promise<void>> {
  const options = { resetOnNavigation: false };
  await page.coverage.startJSCoverage(options);

  async function write(): Promise<void> {
    // A crashed page has no coverage.
    const entries = await page.coverage.stopJSCoverage().catch(() => []);
    const scripts = entries.map(({ url, functions, source = '' }) => ({ url, functions, code: source }));
    writeRecord(
      folder,
      scripts.filter(({ code }) => code !== ''),
    );
  }
  async function writeAndGoOn(): Promise<void> {
    await write();
    await page.coverage.startJSCoverage(options).catch(() => undefined);
  }

  const close = page.close.bind(page);
  page.close = async (how) => {
    await write();
    await close(how);
  };
  // A new document may use another process, and the counts of the previous one would be lost.
  const goto = page.goto.bind(page);
  page.goto = async (url, how) => {
    await writeAndGoOn();
    return goto(url, how);
  };
  const reload = page.reload.bind(page);
  page.reload = async (how) => {
    await writeAndGoOn();
    return reload(how);
  };
  return write;
}

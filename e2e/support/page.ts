import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { buildPage } from '../../scripts/build-page.ts';
import { launchBrowser } from './browser.ts';

/** Builds the page where it is not, as it is in the working tree; gives the browser to look at it with. */
export async function prepareBrowser(): Promise<Browser> {
  const wrong = await buildPage({ tell: () => undefined });
  if (wrong !== null) throw new Error(wrong);
  return launchBrowser();
}

/** A browser of somebody of their own; what the page throws or calls an error is collected. */
export async function openTab(
  browser: Browser,
  address: string,
  options: BrowserContextOptions = {},
): Promise<{ page: Page; faults: string[] }> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, locale: 'en-US', ...options });
  const page = await context.newPage();
  // Long before the test itself gives up, so that it says which step was in vain.
  page.setDefaultTimeout(15_000);
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(error.message));
  await page.goto(address);
  return { page, faults };
}

/** Writes a message and sends it with Enter. */
export async function say(page: Page, text: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(text);
  await page.keyboard.press('Enter');
}

export function messages(page: Page) {
  return page.getByRole('log', { name: 'Messages' });
}

/** Waits until nothing is being answered. */
export async function answered(page: Page): Promise<void> {
  await page.locator('[role=log][aria-busy=false]').waitFor();
}

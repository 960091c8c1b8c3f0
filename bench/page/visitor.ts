import type { Browser, BrowserContext } from 'playwright-core';
import type { Bench } from '../harness/bench.ts';
import type { Api } from '../support/api.ts';

/** What every part works with: a server with its data, and a browser. */
export type Context = Bench & {
  url: string;
  api: Api;
  browser: Browser;
  /** A conversation of so many messages. */
  long: { conversation: string; messages: number };
};

/** A browser with an empty cache. */
export function openFreshContext({ browser }: Context): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1280, height: 800 } });
}

/** The text field: with it the page can be used. */
export const COMPOSER = 'textarea';

import type { Browser, BrowserContext } from 'playwright-core';
import type { Bench } from '../harness/bench.ts';
import type { Api } from '../support/api.ts';

/** Context of every part: a server with data, and a browser. */
export type Context = Bench & {
  url: string;
  api: Api;
  browser: Browser;
  /** Creates a conversation with this many messages. */
  long: { conversation: string; messages: number };
};

/** A browser with an empty cache. */
export function openFreshContext({ browser }: Context): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1280, height: 800 } });
}

/** The composer, which shows that the page is usable. */
export const COMPOSER = 'textarea';

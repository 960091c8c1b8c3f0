import type { Browser, BrowserContext } from 'playwright-core';
import type { Api } from '../support/api.ts';
import type { Options } from './options.ts';

/** What every part works with: a server with its data, and a browser. */
export type Context = {
  options: Options;
  url: string;
  api: Api;
  browser: Browser;
  /** A conversation of so many messages. */
  long: { conversation: string; messages: number };
  /** What the part does now, for a person who waits. */
  say(text: string): void;
};

/** A browser as somebody has it who was never here. */
export function freshVisitor({ browser }: Context): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1280, height: 800 } });
}

/** Where people write: with it the page can be used. */
export const COMPOSER = 'textarea';

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser, BrowserContext, CDPSession, Page } from 'playwright-core';
import type { Bench } from '../harness/bench.ts';
import type { Api } from '../harness/api.ts';
import type { ServerProcess } from '../harness/server.ts';

/** A stored conversation, and words that only its last message contains. */
export type Stored = { conversation: string; lastWords: string };

/** Context of every part: a server with data, and a browser. */
export type Context = Bench & {
  url: string;
  server: Pick<ServerProcess, 'cpuMs'>;
  api: Api;
  browser: Browser;
  /** A conversation with this many messages. */
  long: Stored & { messages: number };
  /** A message with an answer of this many characters. */
  answer: Stored & { size: number };
  /** Two ordinary conversations. */
  ordinary: readonly [Stored, Stored];
};

/** A browser with an empty cache. */
export function openFreshContext({ browser }: Pick<Context, 'browser'>): Promise<BrowserContext> {
  return browser.newContext({ viewport: { width: 1280, height: 800 } });
}

/** Accepts text until the page is loaded. */
export const EARLY_COMPOSER = '#placeholder textarea';
/** The composer, which shows that the page is usable. */
export const COMPOSER = 'textarea#composer';

/** The address of a conversation. */
export const getAddress = ({ url }: Pick<Context, 'url'>, { conversation }: Stored): string =>
  `${url}/c/${conversation}`;

/** Slows the CPU of a page by this factor. */
export async function slow(page: Page, rate: number): Promise<void> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setCPUThrottlingRate', { rate });
}

/** A counter of the browser: `TaskDuration` in seconds, `JSHeapUsedSize` in bytes, `Nodes`. */
export async function readCounter(cdp: CDPSession, name: string): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics');
  return metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
}

export async function openCounters(page: Page): Promise<CDPSession> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Performance.enable');
  return cdp;
}

/** Runs in the page: resolves after the next frame was painted. */
export function afterPaint(): Promise<void> {
  return new Promise((resolve) => {
    requestAnimationFrame(() => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => resolve();
      port2.postMessage(null);
    });
  });
}

const TRACED = [
  'blink.user_timing',
  'devtools.timeline',
  'disabled-by-default-devtools.timeline',
  'disabled-by-default-v8.cpu_profiler',
  'loading',
  'v8.execute',
];

/**
 * With `--profile`, writes a trace of the page until the returned function is called: its tasks, layouts, paints and a CPU
 * profile, for the performance panel of the browser.
 */
export async function tracePage(
  { options: { profile } }: Pick<Context, 'options'>,
  page: Page,
  name: string,
): Promise<() => Promise<void>> {
  if (profile === null) return () => Promise.resolve();
  const cdp = await page.context().newCDPSession(page);
  const events: unknown[] = [];
  cdp.on('Tracing.dataCollected', ({ value }) => void events.push(...value));
  await cdp.send('Tracing.start', { transferMode: 'ReportEvents', traceConfig: { includedCategories: TRACED } });
  return async () => {
    const complete = new Promise((resolve) => cdp.once('Tracing.tracingComplete', resolve));
    await cdp.send('Tracing.end');
    await complete;
    mkdirSync(profile, { recursive: true });
    writeFileSync(join(profile, `${name}.trace.json`), JSON.stringify({ traceEvents: events }));
    await cdp.detach();
  };
}

import type { Browser, Page } from 'playwright-core';
import { browserCommand } from './unpack-browser.ts';

/** A page of a test lives for seconds: optimizing its code costs more than it saves. */
const UNOPTIMIZED = '--js-flags=--no-opt,--no-maglev';

/** One renderer for the pages of a context (see reused-context.ts), and none started in advance for the next. */
const ONE_RENDERER = '--renderer-process-limit=1';

let launched: Promise<Browser> | undefined;

/**
 * The Chromium of the npm package: one for all test files of a worker, closed with the worker. Started again if it did
 * not start or has crashed. `optimizes`: its scripts, as the browsers of users do; the first call decides.
 */
export function launchBrowser({ optimizes = false } = {}): Promise<Browser> {
  launched ??= launch(optimizes ? [] : [UNOPTIMIZED]).catch((error: unknown) => {
    launched = undefined;
    throw error;
  });
  return launched;
}

/** Stops all processes of the browser (SIGSTOP), like a closed laptop; the returned function resumes them. */
export async function stopBrowser(page: Page): Promise<() => void> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo } = (await session?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] };
  const send = (signal: NodeJS.Signals): void => {
    for (const { id } of processInfo) signalTo(id, signal);
  };
  send('SIGSTOP');
  return () => send('SIGCONT');
}

/** One of them may have exited: the others must be resumed anyway. */
function signalTo(id: number, signal: NodeJS.Signals): void {
  try {
    process.kill(id, signal);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
  }
}

async function launch(flags: readonly string[]): Promise<Browser> {
  const { chromium } = await import('playwright-core');
  const { executablePath, env } = await browserCommand();
  const browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader', ONE_RENDERER, ...flags],
    env: { ...process.env, ...env },
  });
  browser.once('disconnected', () => (launched = undefined));
  return browser;
}

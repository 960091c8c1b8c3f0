import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { writeFontConfiguration } from './fonts.ts';

/** Why there is no browser on this machine; null where there is one. */
export const NO_BROWSER = process.platform === 'linux' ? null : 'the Chromium of the npm package runs on Linux only';

let launched: Promise<Browser> | undefined;

/** The Chromium of the npm package, unpacked at first use, one for all tests of a file. */
export function launchBrowser(): Promise<Browser> {
  launched ??= launch();
  return launched;
}

export async function closeBrowser(): Promise<void> {
  const browser = await launched?.catch(() => undefined);
  launched = undefined;
  await browser?.close();
}

/** Stops all processes of the browser, as the lid of a laptop does; what is given back lets them go on. */
export async function stopBrowser(page: Page): Promise<() => void> {
  const session = await page.context().browser()?.newBrowserCDPSession();
  const { processInfo } = (await session?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] };
  const send = (signal: NodeJS.Signals): void => {
    for (const { id } of processInfo) process.kill(id, signal);
  };
  send('SIGSTOP');
  return () => send('SIGCONT');
}

async function launch(): Promise<Browser> {
  // The package unpacks the libraries Chromium needs only where it believes to be on the machine it was made for.
  process.env['AWS_LAMBDA_JS_RUNTIME'] ??= 'nodejs20.x';
  process.env['AWS_EXECUTION_ENV'] ??= 'AWS_Lambda_nodejs20.x';
  const { default: chromium } = await import('@sparticuz/chromium');
  const { chromium: playwright } = await import('playwright-core');
  const executablePath = await chromium.executablePath();
  const libraries = join(tmpdir(), 'al2023', 'lib');
  return playwright.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--use-angle=swiftshader'],
    env: {
      ...process.env,
      LD_LIBRARY_PATH: [libraries, process.env['LD_LIBRARY_PATH']].filter(Boolean).join(':'),
      FONTCONFIG_FILE: writeFontConfiguration(),
    },
  });
}

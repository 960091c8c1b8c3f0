import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeInBrowser } from './support/page-stage.ts';
import type { StageContext } from './support/reused-context.ts';
import { borrowContext } from './support/reused-context.ts';

/** Everything a page can see of previous pages. */
const SEEN = `(async () => ({
  cookie: document.cookie,
  local: { ...localStorage },
  session: { ...sessionStorage },
  cached: await (await fetch('/counted')).text(),
  permission: (await navigator.permissions.query({ name: 'notifications' })).state,
  width: innerWidth,
  dark: matchMedia('(prefers-color-scheme: dark)').matches,
  marked: 'marked' in globalThis,
  year: new Date().getFullYear() > 2000,
}))()`;

describeInBrowser('a browser context that is reused', () => {
  let requests = 0;
  const server = createServer((request, response) => {
    const isCounted = request.url === '/counted';
    response.writeHead(200, { 'content-type': 'text/html', 'cache-control': 'max-age=3600' });
    response.end(isCounted ? String((requests += 1)) : '<title>Empty</title>');
  });
  let origin = '';
  let elsewhere = '';

  beforeAll(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('The server has no port.');
    origin = `http://127.0.0.1:${String(address.port)}`;
    elsewhere = `http://localhost:${String(address.port)}`;
  });

  afterAll(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });

  async function open(): Promise<{ lent: StageContext; page: Page }> {
    const lent = await borrowContext(origin);
    const page = await lent.newPage();
    await page.goto(origin);
    return { lent, page };
  }

  test('does not expose data that pages stored, cached and set for themselves', async () => {
    const first = await open();
    const unused = await first.page.evaluate<{ cached: string }>(SEEN);
    expect(await first.page.evaluate<{ cached: string }>(SEEN)).toEqual(unused);
    await first.page.evaluate(`
      document.cookie = 'left=1';
      localStorage.setItem('left', '1');
      sessionStorage.setItem('left', '1');
      addEventListener('pagehide', () => localStorage.setItem('left', '2'));
    `);
    await first.page.addInitScript('globalThis.marked = true');
    await first.page.route('**', (route) => route.abort());
    await first.page.setViewportSize({ width: 500, height: 500 });
    await first.page.emulateMedia({ colorScheme: 'dark' });
    await Promise.all([first.page.waitForEvent('popup'), first.page.evaluate(`open('about:blank')`)]);
    await first.lent.release();

    const second = await open();
    expect(second.lent.context).toBe(first.lent.context);
    expect(second.lent.context.pages()).toEqual([second.page]);
    expect(await second.page.evaluate(SEEN)).toEqual({ ...unused, cached: String(Number(unused.cached) + 1) });
    await second.lent.release();
  });

  test('belongs to one stage at a time', async () => {
    const first = await open();
    const second = await open();
    expect(second.lent.context).not.toBe(first.lent.context);
    await first.lent.release();
    await second.lent.release();
  });

  test.each<[change: string, change: (page: Page) => unknown]>([
    ['an installed clock', (page) => page.clock.install()],
    ['a permission', (page) => page.context().grantPermissions(['notifications'])],
    ['a route of all pages', (page) => page.context().route('**', (route) => route.abort())],
    ['an init script of all pages', (page) => page.context().addInitScript('globalThis.marked = true')],
    ['a listener', (page) => page.context().on('request', () => undefined)],
    ['another origin', (page) => page.goto(elsewhere)],
    ['a database', (page) => page.evaluate(`new Promise((done) => (indexedDB.open('left').onsuccess = done))`)],
    ['a cache', (page) => page.evaluate(`caches.open('left')`)],
    [
      'a file',
      (page) =>
        page.evaluate(`navigator.storage.getDirectory().then((it) => it.getFileHandle('left', { create: true }))`),
    ],
  ])('is closed after %s', async (_name, change) => {
    const first = await open();
    await change(first.page);
    await first.lent.release();
    const second = await open();
    expect(second.lent.context).not.toBe(first.lent.context);
    await second.lent.release();
  });
});

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

// One page for all tests: each ends with a new chat that is connected to the server.
describeInBrowser('a part of the page that is loaded on demand', () => {
  let stage: Stage;
  let page: Page;
  beforeAll(async () => {
    stage = await setStage(() => reply.text('Hello.'));
    page = await stage.open();
  });
  afterEach(async (context) => {
    if (context.task.result?.state === 'fail') await stage.screenshot(context.task.name);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  /** A browser that caches a failed import makes the page reload itself: the part may have to be opened again. */
  async function isOpenAgain(part: Locator, button: Locator): Promise<void> {
    await eventually(async () => {
      if (!(await part.isVisible())) await button.click({ timeout: 10_000 });
      await part.waitFor({ timeout: 10_000 });
      return true;
    });
  }

  test('is preloaded if a first message needs it: the chat opens without a connection', async () => {
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    // The root layout, the layout of the chat, the error page, a new chat, and a conversation; then the messages.
    await page.waitForFunction(() => {
      const names = performance.getEntriesByType('resource').map(({ name }) => name);
      return (
        names.filter((name) => name.includes('/nodes/')).length === 5 &&
        names.some((name) => name.includes('/assets/MessageList.'))
      );
    });
    await page.route('**/_app/**', (route) => route.abort());
    await chatPage(page).send('Hello?');
    await chatPage(page).messages.getByText('Hello.').waitFor();
    expect(await chatPage(page).path()).toMatch(/^\/c\//);
    await chatPage(page).anew();
    expect(new URL(page.url()).pathname).toBe('/');
    await page.unroute('**/_app/**');
    stage.complaints.length = 0;
  });

  test('shows in place that it cannot be loaded, and loads on “Try again” without losing the draft', async () => {
    const button = page.getByRole('button', { name: /^Tools: / });
    await button.waitFor();
    await chatPage(page).composer.fill('Unsent words');
    stage.line.cut();
    await button.click();
    const panel = page.locator('[popover]:popover-open');
    await panel.getByText('The server could not be reached.').waitFor();
    stage.line.mend();
    await panel.getByRole('button', { name: 'Try again' }).click();
    await isOpenAgain(panel.getByText('All servers'), button);
    await page.keyboard.press('Escape');
    expect(await chatPage(page).composer.inputValue()).toBe('Unsent words');
    expect(stage.complaints).toEqual([]);
  });

  test('shows a toast if it is a dialog that cannot be loaded, and loads on “Try again”', async () => {
    const button = page.getByRole('button', { name: 'Instructions and parameters' });
    await button.waitFor();
    stage.line.cut();
    await button.click();
    const note = page.getByRole('region', { name: 'Notifications' });
    await note.getByText('The server could not be reached.').waitFor();
    stage.line.mend();
    await note.getByRole('button', { name: 'Try again' }).click();
    await isOpenAgain(page.getByRole('dialog'), button);
    expect(stage.complaints).toEqual([]);
  });

  test('says that its scripts cannot be loaded, and keeps what was typed for the reload', async () => {
    const other = await page.context().newPage();
    // Nor is the stylesheet needed for the first paint; it comes later.
    const { promise: untilPainted, resolve: painted } = Promise.withResolvers<void>();
    await other.route('**/_app/**/*.css', (route) => untilPainted.then(() => route.continue()));
    await other.route('**/_app/**/*.js', (route) => route.abort());
    await other.addInitScript("localStorage.setItem('toolyard:language:1', '\"zh-Hant\"')");
    await other.goto(page.url(), { waitUntil: 'commit' });
    await other.waitForFunction(() => performance.getEntriesByName('first-contentful-paint').length === 1);
    const early = other.locator('#placeholder textarea');
    expect((await early.boundingBox())?.width).toBeGreaterThan(300);
    const colour = () =>
      other.evaluate<string>(
        `getComputedStyle(document.querySelector('#placeholder textarea').parentElement).borderColor`,
      );
    const before = await colour();
    painted();
    const failure = other.getByRole('alert');
    await failure.getByText('無法載入頁面').waitFor();
    expect(await colour()).toBe(before);
    await other.keyboard.type('Typed early');
    await other.addInitScript("localStorage.removeItem('toolyard:language:1')");
    await other.unroute('**/_app/**/*.js');
    await failure.getByRole('link', { name: '重新載入' }).click();
    const { composer } = chatPage(other);
    await composer.waitFor();
    expect(await composer.inputValue()).toMatch(/Typed early$/);
    expect(await failure.count()).toBe(0);
    await other.close();
  });
});

import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { reply } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { SHELF } from './support/page-mcp-views.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

const SERVER = '/settings/tools?server=shelf';

describeInBrowser('components of the page', () => {
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    stage = await setStage(() => reply.text('Understood.'), { servers: { shelf: { behaviour: SHELF } } });
    page = await stage.open(SERVER);
    page.setDefaultTimeout(30_000);
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    expect(stage.complaints).toEqual([]);
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  const tab = (name: RegExp): Locator => page.getByRole('tab', { name });
  const focusedItem = (): Promise<string> => page.locator('[role=treeitem]:focus').innerText();
  const press = (key: string): Promise<void> => page.keyboard.press(key);

  test('tabs and tree: arrow keys move, expand and collapse, letters jump', async () => {
    await tab(/^Tools/).focus();
    await press('End');
    await tab(/^Log/).and(page.locator(':focus[aria-selected=true]')).waitFor();
    await press('ArrowRight');
    await tab(/^Tools/)
      .and(page.locator(':focus[aria-selected=true]'))
      .waitFor();
    await press('ArrowRight');
    await tab(/^Resources/)
      .and(page.locator(':focus[aria-selected=true]'))
      .waitFor();

    const tree = page.getByRole('tree');
    await tree.getByRole('treeitem').first().focus();
    await press('ArrowRight');
    expect(await focusedItem()).toContain('docs');
    await press('ArrowLeft');
    await tree.getByRole('treeitem', { name: 'docs', expanded: false }).waitFor();
    expect(await tree.getByRole('treeitem', { name: 'guide.md' }).count()).toBe(0);
    await press('n');
    expect(await focusedItem()).toContain('notes');
    await press('Home');
    await press('ArrowDown');
    await press('Enter');
    await press('g');
    expect(await focusedItem()).toContain('guide.md');
    await press('Enter');
    await page.getByRole('article', { name: 'guide.md' }).waitFor();
    await tree.getByRole('treeitem', { name: 'guide.md', selected: true }).waitFor();
    expect(await tree.locator('[tabindex="0"]').count()).toBe(1);
  });

  test('the icon that a server sends is shown after a click, until it is hidden', async () => {
    const own = page.getByRole('main').locator('img[data-own-icon]');
    const show = page.getByRole('button', { name: 'Show the server’s icon' });
    await show.waitFor();
    expect(await own.count()).toBe(0);
    await show.click();
    await own.first().waitFor();
    expect(await own.first().getAttribute('src')).toMatch(/^data:image\/svg\+xml;base64,/);
    await page.reload();
    await own.first().waitFor();
    await page.getByRole('button', { name: 'Hide the server’s icon' }).click();
    await show.waitFor();
    expect(await own.count()).toBe(0);
  });

  test('a model without a known icon has its letter, and one with an icon its file', async () => {
    await page.goto(new URL('/', page.url()).href);
    const model = page.getByRole('button', { name: 'Model: scripted' });
    await model.locator('[data-letter=S]').waitFor();
    await page.goto(new URL('/settings/models', page.url()).href);
    await page.getByRole('button', { name: 'Add provider' }).click();
    await page.getByRole('dialog').locator('button[aria-haspopup=dialog]').first().click();
    await page.getByRole('combobox', { name: 'Search' }).fill('Mistral');
    await page
      .getByRole('option', { name: /^Mistral/ })
      .locator('[data-brand=mistral]')
      .first()
      .waitFor();
    const mask = await page.evaluate<string>(
      "getComputedStyle(document.querySelector('[role=option] [data-brand=mistral]')).maskImage",
    );
    const file = /url\("(.*)"\)/.exec(mask)?.[1] ?? '';
    const response = await page.request.get(new URL(file, page.url()).href);
    expect(response.headers()).toMatchObject({
      'content-type': 'image/svg+xml',
      'cache-control': expect.stringContaining('immutable') as string,
    });
    expect(await response.text()).toContain('<svg');
  });

  test('a table sorts by a column and keeps its totals', async () => {
    await page.goto(new URL('/', page.url()).href);
    const chat = chatPage(page);
    await chat.send('Hello');
    await chat.reads('Understood.');
    await chat.waitUntilIdle();
    await page.goto(new URL('/settings/usage', page.url()).href);
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('tool');
    await page.getByText('No usage in this period.').waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('model');
    const table = page.getByRole('table', { name: 'Table' });
    await table.getByRole('row', { name: /^Total 1/ }).waitFor();
    await table.getByRole('rowheader', { name: /scripted/ }).waitFor();
    await page
      .getByRole('figure')
      .getByText(/in total/)
      .waitFor();
    expect(await axeFinds(page)).toEqual([]);
  });

  test('nothing moves with reduced motion', async () => {
    const motion = "getComputedStyle(document.documentElement).getPropertyValue('--motion-enter')";
    await page.emulateMedia({ reducedMotion: 'no-preference' });
    expect(await page.evaluate(motion)).toMatch(/^(180ms|\.18s)$/);
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await page.evaluate(motion)).toMatch(/^0m?s$/);
  });
});

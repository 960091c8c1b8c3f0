import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { startLocalServer } from './support/local-server.ts';
import { describeInBrowser } from './support/page-stage.ts';
import { setStage } from './support/stage.ts';
import type { Stage } from './support/stage.ts';

describeInBrowser('the page around a conversation', () => {
  let stage: Stage;

  beforeAll(async () => {
    stage = await setStage(() => reply.text('Understood.'));
    for (const [id, title] of [
      ['c1', 'Rain in Kyoto'],
      ['c2', '台北的天氣'],
    ] as const) {
      await call(stage.server.url, 'POST', '/api/conversations', { id, title });
    }
  });

  afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));
  afterAll(() => stage[Symbol.asyncDispose]());

  test('a bad address says so and leads back', async () => {
    const page = await stage.open('/no/such/page');
    await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
    expect(await page.title()).toBe('Toolyard');
    await page.getByRole('link', { name: 'To a new chat' }).click();
    await page.getByRole('textbox', { name: 'Message' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('a conversation that is not there says so', async () => {
    const page = await stage.open('/c/nowhere');
    await page.getByText('This conversation is not there').first().waitFor();
  });

  test('conversations are renamed, pinned, deleted and brought back', async () => {
    const before = unlike('A third one');
    const after = unlike('Renamed 🚀');
    const { id } = await call<{ id: string }>(stage.server.url, 'POST', '/api/conversations', { title: before });
    const page = await stage.open(`/c/${id}`);
    await menuOf(page, before, 'Rename');
    const field = page.getByRole('navigation').getByRole('textbox', { name: 'Title of the conversation' });
    await field.fill(after);
    await field.press('Enter');
    await page.getByRole('heading', { name: after, level: 1 }).waitFor();

    await menuOf(page, after, 'Pin');
    await page.getByRole('heading', { name: 'Pinned' }).waitFor();

    await menuOf(page, after, 'Delete');
    // What one points at stays.
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.hover();
    await item(page, after).waitFor({ state: 'detached' });
    await undo.click();
    await item(page, after).waitFor();
  });

  test('what another window does to the list is seen here without a touch', async () => {
    const page = await stage.open();
    await item(page, 'Rain in Kyoto').waitFor();
    const title = unlike('From elsewhere');
    const { id } = await call<{ id: string }>(stage.server.url, 'POST', '/api/conversations', { title });
    await item(page, title).waitFor();
    await call(stage.server.url, 'DELETE', `/api/conversations/${id}`);
    await item(page, title).waitFor({ state: 'detached' });
  });

  test('a search finds two Chinese characters', async () => {
    const page = await stage.open();
    await item(page, 'Rain in Kyoto').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('天氣');
    await item(page, '台北的天氣').waitFor();
    await item(page, 'Rain in Kyoto').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await item(page, 'Rain in Kyoto').waitFor();
  });

  test('the language follows the browser, can be changed and is remembered', async () => {
    const page = await stage.open('/settings/general', { locale: 'zh-TW' });
    await page.locator('html[lang=zh-Hant]').waitFor();
    await page.getByRole('main').getByLabel('語言').selectOption('zh-Hans');
    await page.getByRole('heading', { name: '设置' }).waitFor();
    await page.reload();
    await page.locator('html[lang=zh-Hans]').waitFor();
    await page.getByRole('heading', { name: '设置' }).waitFor();
  });

  test('dark and light follow the system, and a choice stays', async () => {
    const page = await stage.open('/', { colorScheme: 'dark' });
    const background = () => page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
    const dark = await background();
    await page.emulateMedia({ colorScheme: 'light' });
    await expect.poll(background).not.toBe(dark);
  });

  test('what the owner set is shown until the person chooses', async () => {
    const args = ['--ui-config', '{"theme":"dark","language":"zh-TW"}'];
    await using server = await startLocalServer({ args: ['--no-date', ...args] });
    const page = await stage.open('/', { colorScheme: 'light' });
    await page.goto(`${server.url}/settings/general`);
    await page.locator('html[data-theme=dark][lang=zh-Hant]').waitFor();
    await page.getByRole('main').getByLabel('語言').selectOption('system');
    await page.getByRole('main').getByLabel('Appearance').selectOption('system');
    await page.locator('html[data-theme=light][lang=en]').waitFor();
    await page.reload();
    await page.locator('html[data-theme=light][lang=en]').waitFor();
  });

  test('the page asks nobody but its server', async () => {
    const asked = new Set<string>();
    const page = await stage.open();
    page.on('request', (request) => asked.add(new URL(request.url()).origin));
    for (const section of ['general', 'models', 'tools', 'permissions', 'about']) {
      await page.goto(`${stage.line.url}/settings/${section}`);
      await page.getByRole('heading', { name: 'Settings' }).waitFor();
    }
    expect([...asked]).toEqual([stage.line.url]);
  });
});

/** A title no other conversation has, nor one of the same test that is tried again. */
function unlike(title: string): string {
  return `${title} ${randomUUID().slice(0, 8)}`;
}

function item(page: Page, title: string) {
  return page.getByRole('navigation').getByRole('link', { name: title });
}

async function menuOf(page: Page, title: string, entry: string): Promise<void> {
  await item(page, title).hover();
  await page
    .getByRole('navigation')
    .getByRole('button', { name: `Options for “${title}”` })
    .click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';

describePage('the page', (stages) => {
  test('an unknown path links back; conversations are searched, updated live, renamed, pinned, deleted and restored', async () => {
    const stage = await stages.set(() => reply.text('Understood.'));
    for (const title of ['Rain in Kyoto', '台北的天氣']) await addConversation(stage, title);
    const page = await stage.open('/no/such/page');
    await leadBack(page);
    await search(page);
    await followChangesElsewhere(page, stage);
    await renameAndPin(page);
    await deleteAndUndo(page);
    await listManyChats(page, stage);
    await openDeleted(page, stage);
    await openWrongSettings(page, stage);
  });

  async function leadBack(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'Page not found' }).waitFor();
    expect(await page.title()).toBe('Page not found · Toolyard');
    await page.getByRole('link', { name: 'Start a new chat' }).click();
    await chatPage(page).composer.waitFor();
    expect(new URL(page.url()).pathname).toBe('/');
  }

  /** Two Chinese characters are sufficient. */
  async function search(page: Page): Promise<void> {
    await item(page, 'Rain in Kyoto').waitFor();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('天氣');
    await page.getByText('1 chat found').waitFor();
    await item(page, '台北的天氣').waitFor();
    await item(page, 'Rain in Kyoto').waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await item(page, 'Rain in Kyoto').waitFor();
  }

  async function followChangesElsewhere(page: Page, stage: Stage): Promise<void> {
    const id = await addConversation(stage, 'From elsewhere');
    await item(page, 'From elsewhere').waitFor();
    await call(stage.server.url, 'DELETE', `/api/conversations/${id}`);
    await item(page, 'From elsewhere').waitFor({ state: 'detached' });
  }

  async function renameAndPin(page: Page): Promise<void> {
    await item(page, 'Rain in Kyoto').click();
    await page.getByRole('heading', { name: 'Rain in Kyoto', level: 1 }).waitFor();
    await openMenu(page, 'Rain in Kyoto', 'Rename');
    const field = page.getByRole('navigation').getByRole('textbox', { name: 'Chat title' });
    await field.fill('Renamed 🚀');
    await field.press('Enter');
    await page.getByRole('heading', { name: 'Renamed 🚀', level: 1 }).waitFor();
    await openMenu(page, 'Renamed 🚀', 'Pin');
    await page.getByRole('heading', { name: 'Pinned' }).waitFor();
  }

  async function deleteAndUndo(page: Page): Promise<void> {
    await openMenu(page, 'Renamed 🚀', 'Delete');
    // A toast stays while the pointer is on it.
    const undo = page.getByRole('button', { name: 'Undo' });
    await undo.hover();
    await item(page, 'Renamed 🚀').waitFor({ state: 'detached' });
    await undo.click();
    await item(page, 'Renamed 🚀').waitFor();
  }

  /** However long a list in it is, the page as a whole does not scroll, not even by a script. */
  async function listManyChats(page: Page, { server }: Stage): Promise<void> {
    for (let at = 0; at < 30; at++)
      await call(server.url, 'POST', '/api/conversations', { title: `Chat ${String(at)}` });
    await item(page, 'Chat 0').waitFor();
    await item(page, 'Chat 0').click();
    const view = page.viewportSize() ?? { width: 0, height: 0 };
    await page.setViewportSize({ ...view, height: 420 });
    await eventually(() =>
      page.evaluate<boolean>(`(() => {
        const open = document.querySelector('#sidebar nav [aria-current=page]').getBoundingClientRect();
        return open.bottom <= document.querySelector('#sidebar nav').getBoundingClientRect().bottom;
      })()`),
    );
    await page.setViewportSize(view);
    // At the end of the list, as the state of a chat that waits for an answer is.
    await page.evaluate(`{
      const hidden = document.createElement('span');
      hidden.className = 'sr-only';
      document.querySelector('#sidebar nav').append(hidden);
    }`);
    expect(await page.evaluate<number>('document.documentElement.scrollHeight - innerHeight')).toBe(0);
  }

  /** The client-side router handles a link, without a page load. */
  async function openDeleted(page: Page, { line }: Stage): Promise<void> {
    await follow(page, `${line.url}/c/nowhere`);
    await page.getByText('Chat not found').first().waitFor();
  }

  async function follow(page: Page, address: string): Promise<void> {
    const href = JSON.stringify(address);
    await page.evaluate(
      `{ const link = document.createElement('a'); link.href = ${href}; document.body.append(link); link.click(); link.remove(); }`,
    );
  }

  /** An address that names a section by a word of it leads there. */
  async function openWrongSettings(page: Page, { line }: Stage): Promise<void> {
    await follow(page, `${line.url}/settings/assistant-tasks`);
    await page.waitForURL(/\/settings\/tasks$/);
    await follow(page, `${line.url}/settings/nowhere`);
    await page.getByText('There is nothing at “nowhere”.').waitFor();
    await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link', { name: 'Usage' }).waitFor();
  }

  test('language and theme: operator default, then system, then a stored choice; the page requests nothing from elsewhere', async () => {
    const args = ['--ui-config', '{"theme":"dark","language":"zh-TW"}'];
    const stage = await stages.set(() => reply.text('Understood.'), { args });
    const page = await stage.open('/settings/general', { colorScheme: 'light', locale: 'zh-CN' });
    const settings = page.getByRole('main');
    await page.locator('html[data-theme=dark][lang=zh-Hant]').waitFor();

    await settings.getByLabel('語言').selectOption('system');
    await page.locator('html[lang=zh-Hans]').waitFor();
    await page.getByRole('heading', { name: '设置' }).waitFor();
    await settings.getByLabel('外观').selectOption('system');
    await page.locator('html[data-theme=light]').waitFor();
    await expect.poll(() => readBackground(page)).toBe('light');
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.locator('html[data-theme=dark]').waitFor();
    await expect.poll(() => readBackground(page)).toBe('dark');

    await settings.getByLabel('语言').selectOption('en');
    await page.locator('html[lang=en]').waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    const origins = new Set<string>();
    page.on('request', (request) => origins.add(new URL(request.url()).origin));
    await page.reload();
    await page.locator('html[data-theme=light][lang=en]').waitFor();
    for (const section of ['Models', 'Tools', 'Permissions', 'About']) {
      await page.getByRole('navigation', { name: 'Settings sections' }).getByRole('link', { name: section }).click();
      await page.getByRole('heading', { name: section, level: 2 }).waitFor();
    }
    for (const width of [820, 390]) await showsSelectedSection(page, width);
    expect([...origins]).toEqual([stage.line.url]);
  });
});

/** In a narrow window the sections overflow; the last one is selected. */
async function showsSelectedSection(page: Page, width: number): Promise<void> {
  await page.setViewportSize({ width, height: 740 });
  await page.reload();
  const selected = page.getByRole('navigation', { name: 'Settings sections' }).locator('[aria-current=page]');
  const isVisible = async (): Promise<boolean> => {
    const [box, all] = await Promise.all([
      selected.boundingBox(),
      selected.locator('xpath=ancestor::ul').boundingBox(),
    ]);
    return box !== null && all !== null && box.x >= all.x && box.x + box.width <= all.x + all.width;
  };
  await expect.poll(isVisible).toBe(true);
}

async function readBackground(page: Page): Promise<'light' | 'dark'> {
  const red = await page.evaluate<number>('Number(/\\d+/.exec(getComputedStyle(document.body).backgroundColor)[0])');
  return red < 128 ? 'dark' : 'light';
}

async function addConversation(stage: Stage, title: string): Promise<string> {
  const { id } = await call<{ id: string }>(stage.server.url, 'POST', '/api/conversations', { title });
  return id;
}

function item(page: Page, title: string) {
  return page.getByRole('navigation').getByRole('link', { name: title });
}

async function openMenu(page: Page, title: string, entry: string): Promise<void> {
  await item(page, title).hover();
  await page
    .getByRole('navigation')
    .getByRole('button', { name: `Options for “${title}”` })
    .click();
  await page.getByRole('menuitem', { name: entry, exact: true }).click();
}

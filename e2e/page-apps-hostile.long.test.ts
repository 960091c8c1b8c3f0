import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Attack } from './support/hostile-app.ts';
import { ATTACKS, EVIL } from './support/hostile-app.ts';
import { chatPage } from './support/chat-page.ts';
import { attackStage } from './support/attack-stage.ts';
import { describePage } from './support/page-stage.ts';

type Scene = {
  page: Page;
  app: FrameLocator;
  card: Locator;
  dialog: Locator;
  reads: (text: string | RegExp) => Promise<void>;
  /** Calls of the tool that counts. */
  counted: () => number;
};

/** What each attack achieves: nothing. */
const OUTCOMES: Record<Attack, (scene: Scene) => Promise<void>> = {
  async escape({ reads, app, dialog }) {
    await reads('escape over');
    for (const name of ['top', 'parent', 'upper']) await reads(`${name} SecurityError`);
    await reads(/frame (Security|Type)Error/);
    expect(await app.getByText('taken over').count()).toBe(0);
    expect(await dialog.count()).toBe(0);
  },
  async navigate({ page, card, dialog }) {
    const before = page.url();
    await card
      .getByRole('alert')
      .getByText(/navigate|another/i)
      .waitFor();
    expect(page.url()).toBe(before);
    // What it asked is not asked any more.
    await dialog.waitFor({ state: 'detached' });
  },
  async popup({ reads, dialog, page }) {
    await reads('popup null');
    await dialog.getByText(`${EVIL}/popup`).waitFor();
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await dialog.getByText(`${EVIL}/link`).waitFor();
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    expect(page.context().pages()).toHaveLength(1);
  },
  async clickjack({ app, page, dialog, counted }) {
    const button = app.getByRole('button', { name: 'Win' });
    await button.click();
    const allow = dialog.getByRole('button', { name: 'Allow once' });
    await allow.waitFor();
    const { x = 0, y = 0 } = (await allow.boundingBox()) ?? {};
    await page.mouse.click(x + 5, y + 5);
    expect(await dialog.count()).toBe(1);
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    expect(counted()).toBe(0);
  },
  async loop({ reads, dialog, page, card, counted }) {
    await dialog.getByRole('button', { name: 'More ways to allow' }).click();
    await page.getByRole('menuitem', { name: 'Allow for this chat' }).click();
    await reads(/loop made \d+ More than 120 requests in a minute/);
    await card.getByText(/sends too many requests to hostile/).waitFor();
    expect(counted()).toBeGreaterThan(100);
    expect(counted()).toBeLessThanOrEqual(120);
  },
  async tools({ reads, app, dialog }) {
    await reads('tools over');
    expect(await app.getByText(/never|a secret of another/).count()).toBe(0);
    expect(await app.getByText('error:').count()).toBe(12);
    expect(await dialog.count()).toBe(0);
  },
  async storage({ reads, app, page }) {
    await reads('storage over');
    for (const name of ['indexedDB', 'caches', 'worker', 'shared']) {
      expect(await app.getByText(`${name} opened`).count()).toBe(0);
    }
    expect(await page.evaluate("localStorage.getItem('mark') + document.cookie")).not.toContain('mark');
    await reads('stored null null');
  },
  async huge({ reads, dialog }) {
    await reads('huge {}');
    expect(await dialog.count()).toBe(0);
  },
  async flood({ card }) {
    await card
      .getByRole('alert')
      .getByText(/too many messages/)
      .waitFor();
  },
  async imitate({ page, app, card }) {
    const label = card.getByText('attack · app from hostile');
    await label.waitFor();
    await app.getByRole('button', { name: 'Allow once' }).click();
    const back = page.getByRole('button', { name: 'Back to the chat' });
    await back.waitFor();
    await label.waitFor();
    await back.click();
    // Text that is filled in before goes to what had the focus.
    await expect.poll(() => page.evaluate<boolean>('document.fullscreenElement === null')).toBe(true);
  },
  async identity({ reads, app, counted }) {
    await reads('identity {}');
    expect(await app.getByText('taken over').count()).toBe(0);
    expect(counted()).toBe(0);
  },
  async links({ reads, app, dialog }) {
    await reads('links over');
    expect(await app.getByText('Only http, https and mailto links can be opened.').count()).toBe(10);
    expect(await dialog.count()).toBe(0);
  },
};

describePage('a hostile app', ({ set }) => {
  let folder = '';
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'toolyard-hostile-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  test.each(Object.keys(ATTACKS) as Attack[])('attack 15: %s', async (attack) => {
    const countFile = join(folder, 'count');
    const stage = await set(...attackStage(countFile));
    const page = await stage.open();
    const requested: string[] = [];
    page.on('request', (request) => requested.push(request.url()));
    page.on('popup', (popup) => requested.push(`popup ${popup.url()}`));
    page.on('dialog', (box) => requested.push(`dialog ${box.message()}`));
    const chat = chatPage(page);
    await chat.send(attack);
    await page.getByRole('button', { name: 'Allow once' }).first().click();
    await chat.reads('Attacked.');
    const card = page.locator('[data-app]');
    const app = card.locator('iframe').contentFrame().locator('iframe').contentFrame();
    await OUTCOMES[attack]({
      page,
      app,
      card,
      dialog: page.getByRole('dialog'),
      reads: (text) => app.getByText(text).first().waitFor(),
      counted: () => (existsSync(countFile) ? statSync(countFile).size : 0),
    });
    expect(requested.filter((url) => !url.startsWith('http://') && !/^(blob|data):/.test(url))).toEqual([]);
    // The page still works.
    await chat.composer.fill('Still here');
    expect(await chat.composer.inputValue()).toBe('Still here');
    stage.complaints.splice(0);
  });
});

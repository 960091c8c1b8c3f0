import type { Locator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { axeFinds } from './axe.ts';
import { callsNamed } from './calls-named.ts';
import { chatPage } from './chat-page.ts';
import { FORM_SERVERS } from './form-servers.ts';
import { describePage } from './page-stage.ts';

type Era = 'legacy' | 'modern';
type FormLocale = 'zh-TW' | 'zh-CN';

const LOCALES = [
  ['zh-TW', '請您填寫表單', '送出', '必填。'],
  ['zh-CN', '请您填写表单', '发送', '必填。'],
] as const;

/** Makes the model call a tool, and allows the call. Returns its card. */
export async function allowCall(tool: string, page: Page): Promise<Locator> {
  const composer = page.getByRole('main').getByRole('textbox').last();
  await composer.fill(`Please ${tool}`);
  await composer.press('Enter');
  const card = page.locator('[data-tool-card]').last();
  await card.getByRole('button', { name: /^(Allow once|允許一次|允许一次)$/ }).click();
  return card;
}

/** Sends the form of `form-servers.ts` with invalid values, checks what the page says about them, corrects them and sends it again. */
export async function correctAndSendForm(page: Page, card: Locator): Promise<void> {
  await card.getByText('asks you to fill in a form').waitFor();
  await card.getByLabel('Nights').fill('12');
  await card.getByLabel(/^Mail/).fill('nobody');
  await card.getByRole('button', { name: 'Send' }).click();
  await card.getByText('Enter at most 9.').waitFor();
  expect(await card.getByText('Required.').count()).toBe(2);
  expect(await card.getByText('Enter an email address').count()).toBe(1);
  // The first invalid field has the focus, and a screen reader announces that it is invalid.
  await page.locator(':focus[aria-invalid=true]').waitFor();
  expect(await axeFinds(page, { within: '[data-tool-card]' })).toEqual([]);

  await card.getByLabel('City').fill('Taipei');
  await card.getByLabel(/^Mail/).fill('');
  await card.getByLabel('Nights').fill('3');
  await card.getByLabel('Room').selectOption('Double');
  await card.getByLabel('Wi-Fi').check();
  await card.getByRole('button', { name: 'Send' }).click();
  const chat = chatPage(page);
  await chat.reads(/It said:/);
  await chat.waitUntilIdle();
  const answer = (await chat.text()).replaceAll('\\', '');
  for (const piece of ['Taipei', '"nights":3', '"room":"d', 'wifi', 'accept']) expect(answer).toContain(piece);
  expect(answer).not.toContain('mail');
}

/** Tests of one form in each of these eras and languages. */
export function describeForms({ eras, locales }: { eras: readonly Era[]; locales: readonly FormLocale[] }): void {
  describePage('elicitation forms', (stages) => {
    test.each(eras)('a form of a %s server is filled in after its invalid values were rejected', async (era) => {
      const stage = await stages.set(callsNamed(), { servers: { hotel: { behaviour: FORM_SERVERS[era] } } });
      const page = await stage.open();
      await correctAndSendForm(page, await allowCall('book_room', page));
    });

    test.each(LOCALES.filter(([locale]) => locales.includes(locale)))('in %s', async (locale, title, send, needed) => {
      const stage = await stages.set(callsNamed(), { servers: { hotel: { behaviour: FORM_SERVERS.legacy } } });
      const card = await allowCall('book_room', await stage.open('/', { locale }));
      await card.getByText(title).waitFor();
      await card.getByRole('button', { name: send }).click();
      await card.getByText(needed).first().waitFor();
    });
  });
}

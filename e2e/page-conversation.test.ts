import { AxeBuilder } from '@axe-core/playwright';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '@toolyard/testing';
import type { ConversationView } from '@toolyard/protocol';
import { call } from './support/api.ts';
import { closeBrowser } from './support/browser.ts';
import { answered, messages, openTab, prepareBrowser, say } from './support/page.ts';
import type { ServerProcess } from './support/server.ts';
import { startServerProcess } from './support/server.ts';

let browser: Browser;
let server: ServerProcess;
beforeAll(async () => {
  browser = await prepareBrowser();
  server = await startServerProcess();
}, 120_000);
afterAll(async () => {
  await closeBrowser();
  await server.stop();
});

async function open(path = '/'): Promise<Page> {
  const { page } = await openTab(browser, `${server.url}${path}`);
  return page;
}

const LOG = "document.querySelector('[role=log]')";
const textOf = (page: Page) => messages(page).innerText();
const has = (page: Page, text: string) => messages(page).getByText(text).first().waitFor();
const grows = async (page: Page) => {
  const { length } = await textOf(page);
  await eventually(async () => (await textOf(page)).length > length);
};

describe('a conversation in the page', () => {
  it('asks the demo for the time and shows what the tool said', async () => {
    const page = await open();
    await say(page, 'What time is it in Tokyo?');
    await has(page, 'In Tokyo it is now');
    await answered(page);
    expect(new URL(page.url()).pathname).toMatch(/^\/c\//);
    await messages(page)
      .getByRole('button', { name: /Get date/ })
      .click();
    await has(page, '"Asia/Tokyo"');
    await page.context().close();
  });

  it('goes on after a reload, and in a second tab, and is stopped from there', async () => {
    const page = await open();
    await say(page, '/slow 300');
    await has(page, 'word 3 of 300');
    await page.reload();
    await has(page, 'word 3 of 300');
    await grows(page);

    const other = await page.context().newPage();
    await other.goto(page.url());
    await has(other, 'word 3 of 300');
    await grows(other);
    await other.getByRole('button', { name: 'Stop', exact: true }).click();
    await has(page, 'You stopped this answer.');
    await answered(page);
    await answered(other);
    expect(await textOf(other)).toBe(await textOf(page));
    await page.context().close();
  });

  it('keeps what is sent meanwhile waiting, in every tab, and sends it then', async () => {
    const page = await open();
    await say(page, '/slow 30');
    await has(page, 'word 2 of 30');
    await say(page, 'What time is it in Berlin?');
    await page.getByText('1 message waiting').waitFor();
    await has(page, 'In Berlin it is now');
    await answered(page);
    expect(await page.getByText('1 message waiting').count()).toBe(0);
    await page.context().close();
  });

  it('answers anew and takes an edited message, each as a version beside the other', async () => {
    const page = await open();
    await say(page, 'What time is it in Berlin?');
    await has(page, 'In Berlin it is now');
    await answered(page);
    await messages(page).getByRole('button', { name: 'Answer again' }).click();
    await has(page, '2/2');
    await answered(page);

    await messages(page).getByRole('button', { name: 'Edit' }).first().click();
    await page.getByLabel('Edit the message').fill('What time is it in Tokyo?');
    await page.keyboard.press('Enter');
    await has(page, 'In Tokyo it is now');
    await answered(page);
    expect(await textOf(page)).not.toContain('Berlin');

    await messages(page).getByRole('button', { name: 'Earlier version' }).first().click();
    await has(page, 'In Berlin it is now');
    expect(await textOf(page)).not.toContain('In Tokyo');
    await page.context().close();
  });

  it('says why there is no answer and tries again', async () => {
    const page = await open();
    await say(page, '/fail');
    await has(page, 'The demo provider failed as you asked');
    await messages(page).getByRole('button', { name: 'Try again' }).click();
    await has(page, '2/2');
    await page.context().close();
  });

  it('leaves one where one reads while the answer goes on, and leads back to its end', async () => {
    const page = await open();
    await page.setViewportSize({ width: 700, height: 330 });
    await say(page, '/slow 400');
    await has(page, 'word 50 of 400');
    await messages(page).focus();
    await page.keyboard.press('Home');
    const scrolled = () => page.evaluate<number>(`${LOG}.scrollTop`);
    const place = await scrolled();
    await grows(page);
    expect(await scrolled()).toBe(place);
    await page.getByRole('button', { name: 'To the latest message' }).click();
    await grows(page);
    const left = () => page.evaluate<number>(`${LOG}.scrollHeight - ${LOG}.clientHeight - ${LOG}.scrollTop`);
    await eventually(async () => (await left()) < 2);
    await page.keyboard.press('Escape');
    await has(page, 'You stopped this answer.');
    await page.context().close();
  });

  it('loads earlier messages as one scrolls up, and what one reads stays where it is', async () => {
    const { id } = await call<{ id: string }>(server.url, 'POST', '/api/conversations', {});
    for (let turn = 0; turn < 45; turn += 1) {
      const body = { parts: [{ type: 'text', text: `/call none ${String(turn)} #${String(turn)}#` }] };
      await call(server.url, 'POST', `/api/conversations/${id}/messages`, body);
    }
    const over = async () =>
      (await call<ConversationView>(server.url, 'GET', `/api/conversations/${id}`)).activeRun === null;
    await eventually(over, { timeoutMs: 20_000 });

    const page = await open(`/c/${id}`);
    await has(page, '#44#');
    await messages(page).focus();
    await page.evaluate(
      `window.moved = 0;
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.moved += entry.value;
      }).observe({ type: 'layout-shift' });`,
    );
    // Past the first page, whose beginning is not the conversation's.
    for (let key = 0; key < 400 && (await messages(page).getByText('#0#', { exact: false }).count()) === 0; key += 1) {
      await page.keyboard.press('PageUp');
    }
    await has(page, '#0#');
    expect(await page.evaluate<number>('window.moved')).toBeLessThan(0.01);
    expect(await page.evaluate<number>(`${LOG}.querySelectorAll('article').length`)).toBeLessThan(60);
    await page.keyboard.press('End');
    await has(page, '#44#');
    await page.context().close();
  });

  it('gives the draft back where the server is gone, and finishes the answer when it is there again', async () => {
    const page = await open();
    await say(page, '/slow 60');
    await has(page, 'word 5 of 60');
    await server.kill();
    await say(page, 'Are you there?');
    await page.getByText('The server could not be reached.').waitFor();
    const input = page.getByLabel('Message', { exact: true });
    await eventually(async () => (await input.inputValue()) === 'Are you there?');
    await server.restart();
    await has(page, 'Interrupted by a restart, begun again below');
    await has(page, 'word 60 of 60');
    await answered(page);
    await page.context().close();
  });

  it.each(['light', 'dark'] as const)(
    'breaks no rule of accessibility in the %s theme',
    async (colorScheme) => {
      const { page } = await openTab(browser, server.url, { colorScheme });
      const violations = async () =>
        (await new AxeBuilder({ page }).analyze()).violations.map(({ id, nodes }) => [id, nodes[0]?.html]);
      await page.getByRole('heading', { name: 'Toolyard needs a model' }).waitFor();
      expect(await violations()).toEqual([]);
      await say(page, 'What time is it in Tokyo?');
      await has(page, 'In Tokyo it is now');
      await answered(page);
      await messages(page)
        .getByRole('button', { name: /Get date/ })
        .click();
      await has(page, '"Asia/Tokyo"');
      expect(await violations()).toEqual([]);
      await messages(page).getByRole('button', { name: 'Edit' }).first().click();
      await page.getByLabel('Edit the message').waitFor();
      expect(await violations()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Instructions and parameters' }).click();
      await page.getByRole('dialog').waitFor();
      expect(await violations()).toEqual([]);
      await page.keyboard.press('Escape');
      await page.goto(`${server.url}/settings`);
      await page.getByRole('heading', { name: 'General' }).waitFor();
      expect(await violations()).toEqual([]);
      await page.context().close();
    },
    90_000,
  );
});

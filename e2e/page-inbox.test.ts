import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Messages = { messages: { role: string; content: unknown }[] };

/** Calls `note` with what the person said, and says what came of it. */
const notes: ModelScript = ({ body }) => {
  const { messages } = body as Messages;
  const last = messages.at(-1);
  if (last?.role !== 'tool') {
    const text = String(last?.content);
    const more = text === 'long' ? { more: `${'\n'.repeat(300)}end` } : {};
    return reply.toolCalls([{ name: 'note', arguments: { text, ...more } }]);
  }
  return reply.text(`Noted: ${JSON.stringify(last.content)}`);
};

describePage('the inbox', (stages) => {
  /** One chat for each of the words, each of which waits for a person. */
  async function untilAsked(words: string[]): Promise<Page> {
    const stage = await stages.set(notes, {
      servers: { desk: { behaviour: { tools: [{ name: 'note', does: [{ do: 'echo' }] }] } } },
    });
    const page = await stage.open();
    for (const word of words) {
      await chatPage(page).anew();
      await chatPage(page).send(word);
      await page.getByRole('main').getByText(word).first().waitFor();
      await page.getByRole('button', { name: 'Allow once' }).waitFor();
      await chatPage(page).path();
    }
    return page;
  }

  const inboxLink = (page: Page) => page.getByRole('link', { name: /^Waiting for you/ });

  test('has what waits in all conversations, is counted, and is answered in place', async () => {
    const page = await untilAsked(['apples', 'pears']);
    await eventually(async () => expect(await inboxLink(page).innerText()).toContain('2'));
    expect(await page.title()).toMatch(/^\(2\) /);
    await inboxLink(page).click();
    await page.getByText('2 questions wait for you.').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    const apples = page.getByRole('article').filter({ hasText: 'apples' });
    await apples.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('1 question waits for you.').waitFor();
    await eventually(async () => expect(await page.title()).toMatch(/^\(1\) /));
    await page.getByRole('article').getByRole('link').first().click();
    await page.getByRole('button', { name: 'Refuse', exact: true }).click();
    await chatPage(page).reads(/Noted/);
    await eventually(async () => expect(await page.title()).not.toContain('('));
    await inboxLink(page).click();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  test('calls of one tool are answered together, and another tab sees it', async () => {
    const page = await untilAsked(['one', 'two', 'three']);
    const other = await stages.now.openBeside(page, '/inbox');
    await other.getByText('3 questions wait for you.').waitFor();
    await inboxLink(page).click();
    await page.getByRole('heading', { name: '3 calls of desk/note' }).waitFor();
    await page.getByRole('button', { name: 'Allow all 3 once' }).click();
    await page.getByText('Nothing waits for you.').waitFor();
    await other.getByText('Nothing waits for you.').waitFor();
    await page.getByRole('link', { name: 'two', exact: true }).click();
    await chatPage(page).reads(/Noted/);
  });

  test('calls of one tool are allowed together once all was seen, and by keys once they can be meant for them', async () => {
    const page = await untilAsked(['long', 'two']);
    await inboxLink(page).click();
    const allow = page.getByRole('button', { name: 'Allow all 2 once' });
    await allow.waitFor();
    expect(await allow.isDisabled()).toBe(true);
    const calls = page.getByRole('list', { name: 'Calls' });
    await calls.getByRole('group', { name: 'Arguments' }).first().press('End');
    await calls.press('End');
    // The beginning of the list was never out of sight, and its second call is in sight now.
    await allow.and(page.locator(':enabled')).waitFor();
    await page.clock.install();
    await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + 100);
    await inboxLink(page).focus();
    await allow.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press(' ');
    expect(await allow.isEnabled()).toBe(true);
    expect(await page.getByText('2 questions wait for you.').isVisible()).toBe(true);
    await page.clock.fastForward(1_000);
    await page.keyboard.press('Enter');
    await page.clock.resume();
    await page.getByText('Nothing waits for you.').waitFor();
  });

  test('notifies only whoever asked for it by a click', async () => {
    const page = await untilAsked([]);
    await page.context().grantPermissions(['notifications']);
    await page.addInitScript(`
      window.told = [];
      window.Notification = class extends EventTarget {
        static permission = 'granted';
        static requestPermission = async () => 'granted';
        constructor(title, options) { super(); window.told.push(title + ': ' + options.body); }
        close() {}
      };
      document.hasFocus = () => false;
    `);
    await page.goto(`${stages.now.line.url}/inbox`);
    await page.getByText('Nothing waits for you.').waitFor();
    const other = await stages.now.openBeside(page, '/');
    await chatPage(other).send('quietly');
    await page.getByText('1 question waits for you.').waitFor();
    expect(await page.evaluate('told')).toEqual([]);
    await page.getByRole('button', { name: 'Notify me of new questions' }).click();
    await page.getByRole('button', { name: 'Stop notifying me' }).waitFor();
    await chatPage(other).anew();
    await chatPage(other).send('aloud');
    await eventually(async () =>
      expect(await page.evaluate('told')).toEqual(['Toolyard waits for you: It is about note.']),
    );
    await page.getByRole('button', { name: 'Stop notifying me' }).click();
    await page.getByRole('button', { name: 'Notify me of new questions' }).waitFor();
  });
});

import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { pauseClock } from './support/pause-clock.ts';

type Messages = { messages: { role: string; content: unknown }[] };

/** Calls `note` with the text of the user and answers with its result. */
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

/** In tabs opened later: browser notifications are recorded, and the tab never has the focus. */
const RECORD_NOTIFICATIONS = `
  window.notified = [];
  window.Notification = class extends EventTarget {
    static permission = 'granted';
    static requestPermission = async () => 'granted';
    constructor(title, options) { super(); window.notified.push(title + ': ' + options.body); }
    close() {}
  };
  document.hasFocus = () => false;
`;

describePage('the inbox', (stages) => {
  async function opened(): Promise<Page> {
    const servers = {
      desk: { behaviour: { tools: [{ name: 'note', title: 'Take note', does: [{ do: 'echo' as const }] }] } },
    };
    const stage = await stages.set(notes, { servers });
    return stage.open('/inbox');
  }

  /** Starts one conversation per text; each needs an approval. */
  async function ask(...texts: string[]): Promise<void> {
    const { url } = stages.now.server;
    for (const text of texts) {
      const { id } = await call<{ id: string }>(url, 'POST', '/api/conversations', {});
      await call(url, 'POST', `/api/conversations/${id}/messages`, { parts: [{ type: 'text', text }] });
    }
  }

  const inboxLink = (page: Page) => page.getByRole('link', { name: /^Inbox/ });
  const empty = (page: Page) => page.getByText('Your inbox is empty.');

  async function countsAndAnswersInPlace(page: Page): Promise<void> {
    await ask('apples', 'pears');
    await page.getByText('2 open questions').waitFor();
    await eventually(async () => expect(await inboxLink(page).innerText()).toContain('2'));
    expect(await page.title()).toMatch(/^\(2\) /);
    expect(await axeFinds(page)).toEqual([]);
    const apples = page.getByRole('article').filter({ hasText: 'apples' });
    await apples.getByRole('button', { name: 'Allow once' }).click();
    await page.getByText('1 open question').waitFor();
    await eventually(async () => expect(await page.title()).toMatch(/^\(1\) /));
    await page.getByRole('article').getByRole('link').first().click();
    await page.getByRole('button', { name: 'Deny', exact: true }).click();
    await chatPage(page).reads(/Noted/);
    await eventually(async () => expect(await page.title()).not.toContain('('));
    await inboxLink(page).click();
    await empty(page).waitFor();
  }

  async function answersTogether(page: Page, other: Page): Promise<void> {
    await ask('one', 'two', 'three');
    await other.getByText('3 open questions').waitFor();
    await page.getByRole('heading', { name: '3 calls of “Take note” from “desk”' }).waitFor();
    await page.getByRole('button', { name: 'Allow all 3 once' }).click();
    await empty(page).waitFor();
    await empty(other).waitFor();
    await page.getByRole('link', { name: 'two', exact: true }).click();
    await chatPage(page).reads(/Noted/);
    await inboxLink(page).click();
  }

  async function notifiesAfterOptIn(page: Page): Promise<void> {
    await ask('quietly');
    await page.getByText('1 open question').waitFor();
    expect(await page.evaluate('notified')).toEqual([]);
    await page.getByRole('button', { name: 'Turn on notifications' }).click();
    await page.getByRole('button', { name: 'Turn off notifications' }).waitFor();
    await ask('aloud');
    await eventually(async () =>
      expect(await page.evaluate('notified')).toEqual(['Toolyard needs your answer: About note.']),
    );
    await page.getByRole('button', { name: 'Turn off notifications' }).click();
    await page.getByRole('button', { name: 'Turn on notifications' }).waitFor();
    await page.getByRole('button', { name: 'Allow all 2 once' }).click();
    await empty(page).waitFor();
  }

  async function allowsTogetherByKeysOnceAllWasSeen(page: Page): Promise<void> {
    // The two calls answered in the other tab may still be listed.
    await empty(page).waitFor();
    await ask('long', 'short');
    await page.getByRole('list', { name: 'Calls' }).getByText('short').waitFor();
    const allow = page.getByRole('button', { name: 'Allow all 2 once' });
    await allow.waitFor();
    expect(await allow.isDisabled()).toBe(true);
    const calls = page.getByRole('list', { name: 'Calls' });
    await calls.getByRole('group', { name: 'Arguments' }).filter({ hasText: 'long' }).press('End');
    await calls.press('End');
    // The start of the list was visible from the beginning, and its second call is visible now.
    await allow.and(page.locator(':enabled')).waitFor();
    await page.clock.install();
    await pauseClock(page);
    await inboxLink(page).focus();
    await allow.focus();
    await page.keyboard.press('Enter');
    await page.keyboard.press(' ');
    expect(await allow.isEnabled()).toBe(true);
    expect(await page.getByText('2 open questions').isVisible()).toBe(true);
    await page.clock.fastForward(1_000);
    await page.keyboard.press('Enter');
    await page.clock.resume();
    await empty(page).waitFor();
  }

  test('lists and counts the interrupts of all conversations, answers them one by one or together', async () => {
    const page = await opened();
    await countsAndAnswersInPlace(page);
    await page.context().addInitScript(RECORD_NOTIFICATIONS);
    const other = await stages.now.openBeside(page, '/inbox');
    await answersTogether(page, other);
    await notifiesAfterOptIn(other);
    await other.close();
    await allowsTogetherByKeysOnceAllWasSeen(page);
  });
});

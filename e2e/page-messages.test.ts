import type { Route } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { asked, END, holdAnswer } from './support/held-answer.ts';
import { describePage } from './support/page-stage.ts';

const ARABIC = 'مرحبا: (1)\n\n- أول\n- second\n\n> قال\n\n| أ | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\nLatin.';

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

type Chat = ReturnType<typeof chatPage>;

const article = (chat: Chat, text: string) => chat.messages.locator('article').filter({ hasText: text }).first();

describePage('messages in the page', ({ set }) => {
  test('sends images, retries, edits and regenerates answers, and queues messages', async () => {
    const held = holdAnswer();
    let answers = 0;
    let refuses = true;
    const { open, model, server } = await set(({ body }) => {
      const text = asked(body);
      if (text.includes('Hello?')) {
        return refuses ? reply.error(401, 'Incorrect API key provided.') : reply.text('Here I am.');
      }
      if (text.includes('What is this?')) return reply.text('A red dot.');
      if (text.includes('first one')) return held.script();
      if (text.includes('changed one')) return reply.text(`Heard: ${text}`);
      answers += 1;
      return reply.text(`Answer ${String(answers)} to: ${text}`);
    });
    const page = await open();
    const chat = chatPage(page);
    await takesKeysFromTheStart();
    await sendsImage();
    await retriesAfterRejectedKey();
    await branchesOnRegenerateAndEdit();
    await keepsAllOverReload();
    await editsQueuedMessage();

    async function takesKeysFromTheStart(): Promise<void> {
      // The composer has the focus, and gets it back for a letter typed elsewhere.
      await page.locator('textarea:focus').waitFor();
      await page.keyboard.type('a');
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.type('b');
      await eventually(async () => expect(await chat.composer.inputValue()).toBe('ab'));
    }

    async function sendsImage(): Promise<void> {
      await chat.attach({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(DOT, 'base64') });
      await chat.send('What is this?');
      await chat.reads('A red dot.');
      expect(model.requests.at(-1)?.text).toContain('data:image/png;base64,iVBOR');
      await chat.path();
      await chat.waitUntilIdle();
    }

    async function retriesAfterRejectedKey(): Promise<void> {
      await chat.send('Hello?');
      await page.getByRole('status').getByText('The answer could not be generated').waitFor({ state: 'attached' });
      await chat.reads(/key/i);
      await chat.waitUntilIdle();
      refuses = false;
      await chat.messages
        .getByRole('button', { name: /Try again|Answer now/ })
        .first()
        .click();
      await chat.reads('Here I am.');
      await chat.waitUntilIdle();
    }

    async function branchesOnRegenerateAndEdit(): Promise<void> {
      await chat.send('First message');
      await chat.reads('Answer 1 to');
      await chat.waitUntilIdle();
      await article(chat, 'Answer 1 to').hover();
      await article(chat, 'Answer 1 to').getByRole('button', { name: 'Regenerate' }).click();
      await chat.reads('Answer 2 to');
      expect(await chat.text()).not.toContain('Answer 1 to');
      await article(chat, 'Answer 2 to').getByRole('button', { name: 'Previous version' }).click();
      await chat.reads('Answer 1 to');

      await article(chat, 'First message').hover();
      await article(chat, 'First message').getByRole('button', { name: 'Edit', exact: true }).click();
      const field = page.getByRole('textbox', { name: 'Edit message' });
      await field.fill('Second message');
      await field.press('Enter');
      await chat.reads('Answer 3 to');
      expect(await chat.text()).not.toContain('First message');
    }

    async function keepsAllOverReload(): Promise<void> {
      await chat.waitUntilIdle();
      await chat.composer.fill('ab');
      // What is typed before the page has started is not lost.
      const { promise: untilTyped, resolve: typed } = Promise.withResolvers<void>();
      await page.route('**/api/session', async (route) => untilTyped.then(() => route.continue()));
      const session = page.waitForRequest('**/api/session');
      await Promise.all([page.reload({ waitUntil: 'commit' }), session]);
      // The placeholder shows it at once, and nothing can be sent yet.
      const early = page.locator('#placeholder textarea');
      await page.keyboard.type('cd');
      await page.keyboard.press('Enter');
      expect(await early.inputValue()).toBe('cd');
      const input = await page.context().newCDPSession(page);
      await input.send('Input.imeSetComposition', { text: 'ㄋㄧ', selectionStart: 2, selectionEnd: 2 });
      typed();
      // A composition is completed in the placeholder.
      await page.locator('textarea#composer').waitFor();
      expect(await early.inputValue()).toBe('cdㄋㄧ');
      await input.send('Input.insertText', { text: '你' });
      await early.waitFor({ state: 'detached' });
      await eventually(async () => expect(await chat.composer.inputValue()).toBe('abcd你'));
      await page.keyboard.type('e');
      await eventually(async () => expect(await chat.composer.inputValue()).toBe('abcd你e'));

      await chat.reads('Answer 3 to');
      await article(chat, 'Second message').hover();
      await article(chat, 'Second message').getByRole('button', { name: 'Previous version' }).click();
      await chat.reads('First message');
      await chat.messages.locator('img').first().waitFor();
      await expect.poll(() => page.evaluate<number>('document.querySelector("main img").naturalWidth')).toBe(1);
    }

    async function editsQueuedMessage(): Promise<void> {
      // The answer may begin before the page knows that its message was accepted.
      const { promise: until, resolve: accept } = Promise.withResolvers<void>();
      const holdResponse = async (route: Route): Promise<void> => {
        const response = await route.fetch();
        await until;
        await route.fulfill({ response });
      };
      await page.route(/\/messages$/, holdResponse, { times: 1 });
      await chat.send('the first one');
      await chat.reads(held.beginning);
      await chat.send('the second one');
      expect(await chat.composer.inputValue()).toBe('');
      accept();
      await page.getByText('1 queued message').waitFor();
      await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
      const field = page.getByRole('textbox', { name: 'Edit queued message' });
      await field.fill('a changed one');
      await field.press('Enter');
      const id = (await chat.path()).split('/').at(-1) ?? '';
      const queue = async () => (await call<ConversationView>(server.url, 'GET', `/api/conversations/${id}`)).queue;
      await expect.poll(async () => JSON.stringify(await queue())).toContain('a changed one');
      held.release();
      await chat.reads(/Heard: .*a changed one/);
      await chat.waitUntilIdle();
      expect(await chat.text()).toContain(END);
      await page.getByText('1 queued message').waitFor({ state: 'detached' });
    }
  });

  test('works by keyboard, in right-to-left text, on a phone, and keeps the scroll position', async () => {
    const held = holdAnswer();
    const servers = { desk: { behaviour: { tools: [{ name: 'note', does: [{ do: 'echo' as const }] }] } } };
    const { open } = await set(
      ({ body }) => {
        const text = asked(body);
        if (text.includes('note')) return reply.toolCalls([{ name: 'note', arguments: {} }]);
        if (text.includes('Arabic')) return reply.text(ARABIC);
        if (text.includes('A line')) return held.script();
        return reply.text('Read **this** aloud.');
      },
      { servers },
    );
    const page = await open();
    const chat = chatPage(page);
    await isOperatedByKeyboard();
    await opensShortcutsWithoutTooltip();
    await laysOutRightToLeft();
    await keepsPlaceWhileAnswerStreams();
    await showsOpenInterruptsOnPhone();

    async function isOperatedByKeyboard(): Promise<void> {
      await chat.composer.waitFor();
      await page.getByRole('link', { name: 'New chat' }).focus();
      await page.keyboard.press('Control+Shift+O');
      await page.locator('textarea:focus').waitFor();
      await page.keyboard.type('By keyboard');
      await page.keyboard.press('Shift+Enter');
      await page.keyboard.type('in two lines');
      await page.keyboard.press('Enter');
      await chat.reads('Read this aloud.');
      await chat.waitUntilIdle();
      // From the composer back to the answer and its actions.
      const names: string[] = [];
      for (let step = 0; step < 12; step++) {
        await page.keyboard.press('Shift+Tab');
        names.push(await page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""'));
        if (names.at(-1) === 'Regenerate') break;
      }
      expect(names).toContain('Regenerate');
      await page.keyboard.press('Enter');
      await chat.messages.getByText('2/2').waitFor();
      await chat.waitUntilIdle();
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.keyboard.press('Escape');
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      await page.keyboard.press('Control+k');
      await page.keyboard.type('keyboard');
      await page
        .getByRole('navigation')
        .getByRole('link', { name: /By keyboard/ })
        .waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.press('Delete');
    }

    async function opensShortcutsWithoutTooltip(): Promise<void> {
      await page.clock.install();
      await page.evaluate('document.activeElement.blur()');
      await page.keyboard.press('?');
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
      await page.clock.runFor(1_000);
      expect(await page.locator('[popover=manual]:popover-open').count()).toBe(0);
      await page.keyboard.press('Escape');
      await page.clock.resume();
    }

    async function laysOutRightToLeft(): Promise<void> {
      await chat.anew();
      await chat.send('Arabic');
      await chat.reads('Latin.');
      await chat.waitUntilIdle();
      const directions = await page.evaluate<string[]>(
        // An answer that arrived at once is not in parts.
        `[...document.querySelectorAll('.md-part > *, .md > :not(.md-part)')].map((block) => block.tagName + ' ' + getComputedStyle(block).direction)`,
      );
      expect(directions).toEqual(['P rtl', 'UL rtl', 'BLOCKQUOTE rtl', 'DIV rtl', 'DIV ltr', 'P ltr']);
    }

    async function keepsPlaceWhileAnswerStreams(): Promise<void> {
      await chat.anew();
      await page.setViewportSize({ width: 420, height: 400 });
      const log = 'document.querySelector("[role=log]")';
      await chat.send(`Go on.\n\n${'A line that makes the message long.\n'.repeat(12)}`);
      await chat.reads(held.beginning);
      await chat.messages.focus();
      await page.keyboard.press('Home');
      // The button shows that the page has noticed: a browser scrolls some time after the key.
      const back = page.getByRole('button', { name: 'Jump to latest message' });
      await back.waitFor();
      const top = () => page.evaluate<number>(`${log}.scrollTop`);
      const height = () => page.evaluate<number>(`${log}.scrollHeight`);
      const before = [await top(), await height()] as const;
      held.release();
      await expect.poll(height).toBeGreaterThan(before[1]);
      expect(await top()).toBe(before[0]);
      await back.click();
      await chat.reads(held.end);
      await chat.waitUntilIdle();
      const left = () => page.evaluate<number>(`${log}.scrollHeight - ${log}.clientHeight - ${log}.scrollTop`);
      await expect.poll(left).toBeLessThan(2);
    }

    async function showsOpenInterruptsOnPhone(): Promise<void> {
      await page.setViewportSize({ width: 390, height: 844 });
      await chat.send('note');
      await page.getByRole('button', { name: 'Allow once' }).waitFor();
      await page.locator('header').getByRole('link', { name: 'New chat' }).click();
      await page.locator('header').getByRole('link', { name: 'Inbox: 1 open question' }).click();
      await page.getByRole('heading', { name: 'Inbox' }).waitFor();
    }
  });

  test('explains a first start without a model, and answers with a tool in the demo', async () => {
    const { open } = await set(() => reply.text('Never asked.'), {
      date: true,
      env: { OPENAI_BASE_URL: '', OPENAI_API_KEY: '' },
    });
    const page = await open();
    await page.getByRole('heading', { name: 'Toolyard needs a model' }).waitFor();
    await page.getByRole('button', { name: 'Ask for the time' }).click();
    const chat = chatPage(page);
    await chat.reads(/\d{1,2}:\d{2}/);
    await chat.waitUntilIdle();
  });
});

import { expect, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Messages = { messages: { role: string; content: unknown }[] };

/** The text of the last message of the user, as JSON. */
function asked(body: unknown): string {
  return JSON.stringify((body as Messages).messages.findLast(({ role }) => role === 'user')?.content);
}

describePage('search in the page', ({ set }) => {
  test('opens results at their message, on any branch; finds within a chat, loaded or not', async () => {
    const { open, server } = await set(({ body }) => {
      const text = asked(body);
      if (text.includes('spices'))
        return reply.text('Some:\n\n## The **best** `spices`\n\n- [x] *cardamom* | ~~salt~~');
      return reply.text(text.includes('#') ? `To ${text}` : 'Heard.');
    });
    const page = await open();
    const chat = chatPage(page);
    const results = page.locator('#sidebar a[data-conversation]');
    const long = await loadsEarlierMessagesOnScroll();
    await opensResultAtMessage();
    await findsInChat();
    await opensResultOnOtherBranch();
    await showsSnippetsWithoutMarkdown();
    await findsBeforeMessagesAreShown();

    function highlighted(name: string): Promise<string[]> {
      return page.evaluate(`[...(CSS.highlights.get('${name}') ?? [])].map((range) => range.toString())`);
    }

    async function search(text: string): Promise<void> {
      await page.keyboard.press('Control+k');
      // At once: the results of the first letters may be one chat as well.
      await page.keyboard.insertText(text);
      await page.getByText('1 chat found').waitFor();
    }

    async function clearSearch(): Promise<void> {
      await page.keyboard.press('Control+k');
      await page.keyboard.press('Delete');
    }

    /** Between two answers no run is active. */
    async function isIdle(id: string): Promise<boolean> {
      const { activeRun, queue } = await call<ConversationView>(server.url, 'GET', `/api/conversations/${id}`);
      return queue.length === 0 && activeRun === null;
    }

    async function loadsEarlierMessagesOnScroll(): Promise<string> {
      const { id } = await call<{ id: string }>(server.url, 'POST', '/api/conversations', {});
      for (let turn = 0; turn < 45; turn++) {
        const rare = turn === 3 ? ' crème brûlée ' : '';
        const parts = [{ type: 'text', text: `${'A question. '.repeat(turn % 7)}${rare} #${String(turn)}#` }];
        await call(server.url, 'POST', `/api/conversations/${id}/messages`, { parts });
      }
      await expect.poll(() => isIdle(id), { timeout: 240_000 }).toBe(true);

      await page.locator(`a[href="/c/${id}"]`).click();
      await chat.reads('#44#');
      await page.evaluate(
        `window.moved = 0;
          new PerformanceObserver((list) => {
            for (const entry of list.getEntries()) window.moved += entry.value;
          }).observe({ type: 'layout-shift' });
          // Earlier messages arrive while a scroll reaches the first one, as they do on a fast machine.
          window.sendNow = window.fetch;
          window.fetch = async (input, init) => {
            const response = await sendNow(input, init);
            if (!String(input).includes('/messages?')) return response;
            const log = document.querySelector('[role=log]');
            while (log.scrollTop >= 5) await new Promise((done) => setTimeout(done));
            return response;
          };`,
      );
      await chat.messages.focus();
      await eventually(async () => {
        await page.keyboard.press('PageUp');
        return (await chat.messages.getByText('#0#').count()) > 0;
      });
      await page.evaluate('window.fetch = window.sendNow');
      // A jump of a page of messages shifts the layout by 0.3 or more; lines measured while scrolling shift it less.
      expect(await page.evaluate<number>('window.moved')).toBeLessThan(0.05);
      expect(await chat.messages.locator('article').count()).toBeLessThan(60);
      const belowView = () =>
        chat.messages.evaluate(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight);
      const frames = (count: number) =>
        page.evaluate(`(async () => {
          for (let left = ${count}; left > 0; left--) await new Promise((done) => requestAnimationFrame(done));
        })()`);
      // The end stays in view when a message grows by itself, as one with an image does. Heights of messages that were
      // never rendered are estimates: a jump may end above the end, which is where the page stays then.
      await eventually(async () => {
        await page.keyboard.press('End');
        // The browser reports the position before the next frame, and only then the page follows the end.
        await frames(2);
        return (await belowView()) < 2;
      });
      // Its content grows: padding would not, and is not observed.
      await page.evaluate(`(() => {
        const last = [...document.querySelectorAll('[data-row]')].at(-1);
        last.style.minHeight = last.offsetHeight + 400 + 'px';
      })()`);
      await expect.poll(belowView, { timeout: 30_000 }).toBeLessThan(2);
      await chat.reads('#44#');
      return id;
    }

    /** The message is far above what a conversation opens with. */
    async function opensResultAtMessage(): Promise<void> {
      await chat.anew();
      await search('brulee');
      await page.keyboard.press('Enter');
      await page.locator('[data-row].found-row:focus').getByText('#3#').waitFor();
      await expect.poll(() => highlighted('found')).toEqual(['brûlée']);
      await page.keyboard.press('Escape');
      expect(await highlighted('found')).toEqual([]);
      await clearSearch();
    }

    async function findsInChat(): Promise<void> {
      await chat.composer.focus();
      await page.keyboard.press('Control+f');
      const bar = page.getByRole('search', { name: 'Find in this chat' });
      await bar.getByRole('searchbox').waitFor();
      await page.keyboard.type('#7#');
      await bar.getByText('1 of 2', { exact: true }).waitFor();
      await expect.poll(() => highlighted('found-current')).toEqual(['#7#']);
      await page.keyboard.press('Enter');
      await bar.getByText('2 of 2', { exact: true }).waitFor();
      await page.keyboard.press('Control+a');
      await page.keyboard.type('#44#');
      await bar.getByText('1 of 2', { exact: true }).waitFor();
      await page.keyboard.press('Shift+Enter');
      await bar.getByText('2 of 2', { exact: true }).waitFor();
      await expect.poll(() => highlighted('found-current')).toEqual(['#44#']);
      await chat.reads('#44#');
      await page.keyboard.press('Control+a');
      await page.keyboard.type('nowhere');
      await bar.getByText('No matches').waitFor();
      await page.keyboard.press('Escape');
      await bar.waitFor({ state: 'detached' });
      await page.locator('textarea:focus').waitFor();
      expect(await highlighted('found')).toEqual([]);
    }

    /** The first message is also the title of its chat. */
    async function opensResultOnOtherBranch(): Promise<void> {
      const { id } = await call<{ id: string }>(server.url, 'POST', '/api/conversations', {});
      for (const text of ['Saffron first', 'Another wording']) {
        const body = { parts: [{ type: 'text', text }], parentId: null };
        await call(server.url, 'POST', `/api/conversations/${id}/messages`, body);
        await expect.poll(() => isIdle(id)).toBe(true);
      }
      await search('saffron');
      await results.filter({ hasText: 'Saffron' }).click();
      await page.locator('[data-row].found-row:focus').getByText('Saffron first').waitFor();
      await expect.poll(() => highlighted('found')).toEqual(['Saffron']);
      await chat.messages.getByText('1/2').waitFor();
      expect(await chat.text()).not.toContain('Another wording');
      // The same result again, in the open chat.
      await chat.messages.getByRole('button', { name: 'Next version' }).first().click();
      await chat.reads('Another wording');
      await results.filter({ hasText: 'Saffron' }).click();
      await page.locator('[data-row].found-row').getByText('Saffron first').waitFor();
      await clearSearch();
    }

    async function showsSnippetsWithoutMarkdown(): Promise<void> {
      await chat.anew();
      await chat.send('Which spices do you like?');
      await chat.reads('cardamom');
      await chat.waitUntilIdle();
      await search('cardamom');
      const shown = (await results.first().innerText()).replaceAll(/\s+/g, ' ');
      expect(shown).toContain('Some: The best spices cardamom | salt');
      await clearSearch();
    }

    async function findsBeforeMessagesAreShown(): Promise<void> {
      const { promise: untilReleased, resolve: release } = Promise.withResolvers<void>();
      await page.route('**/_app/immutable/**', async (route) => {
        const response = await route.fetch();
        if ((await response.text()).includes('role="log"')) await untilReleased;
        await route.fulfill({ response });
      });
      await page.goto(new URL(`/c/${long}`, page.url()).href);
      await page.locator('header').getByText('#0#').waitFor();
      await page.keyboard.press('Control+f');
      const bar = page.getByRole('search', { name: 'Find in this chat' });
      await bar.getByRole('searchbox').fill('#43#');
      await bar
        .getByText('2 of 2', { exact: true })
        .or(bar.getByText('1 of 2', { exact: true }))
        .waitFor();
      expect(await chat.messages.count()).toBe(0);
      release();
      await chat.messages.waitFor();
      await eventually(async () => expect(await highlighted('found-current')).toEqual(['#43#']));
      await page.unrouteAll({ behavior: 'ignoreErrors' });
    }
  });
});

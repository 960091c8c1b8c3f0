import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Route } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage, countOf } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

/** Ninety words: a held answer cannot arrive in full by chance. */
const LONG = Array.from({ length: 90 }, (_, index) => `word${String(index)}`).join(' ');
const BEGINNING = 'word3 ';
const END = 'word89';

const ARABIC = 'مرحبا: (1)\n\n- أول\n- second\n\n> قال\n\n| أ | b |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n\nLatin.';

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';

type HeldAnswer = { script: () => ModelReply; release: () => void; beginning: RegExp; end: RegExp; whole: string };

/** An answer that pauses after its beginning until it is released. */
function holdAnswer(title = ''): HeldAnswer {
  const { promise: until, resolve: release } = Promise.withResolvers<void>();
  return {
    script: () => reply.text(`${title} ${LONG}`, { pieces: 7, hold: { behind: 12, until } }),
    release,
    beginning: new RegExp(`${title}.*${BEGINNING}`),
    end: new RegExp(`${title}.*${END}`),
    whole: `${title} ${LONG}`,
  };
}

type Messages = { messages: { role: string; content: unknown }[] };

/** The text of the last message of the user, as JSON. */
function asked(body: unknown): string {
  return JSON.stringify((body as Messages).messages.findLast(({ role }) => role === 'user')?.content);
}

function isToolResult(body: unknown): boolean {
  return (body as Messages).messages.at(-1)?.role === 'tool';
}

type Chat = ReturnType<typeof chatPage>;

const shown = async (chat: Chat): Promise<string> => (await chat.text()).replaceAll(/\s+/g, ' ');
const article = (chat: Chat, text: string) => chat.messages.locator('article').filter({ hasText: text }).first();

describePage('a conversation in the page', ({ set, setProcess }) => {
  test('streams answers and tool calls, also into a second tab, after a reload and after a lost connection', async () => {
    const held = {
      noon: holdAnswer('It is noon in Tokyo.'),
      twice: holdAnswer('In two tabs.'),
      stopped: holdAnswer('Stopped.'),
      lost: holdAnswer('Without network.'),
    };
    const stage = await set(
      ({ body }) => {
        const text = asked(body);
        if (isToolResult(body)) return held.noon.script();
        if (text.includes('two tabs')) return held.twice.script();
        if (text.includes('stop')) return held.stopped.script();
        if (text.includes('network')) return held.lost.script();
        if (!text.includes('Tokyo')) return reply.text('Gladly.');
        const arguments_ = { timezone: 'Asia/Tokyo' };
        return reply.toolCalls([{ name: 'get-date', arguments: arguments_ }], {
          reasoning: 'They ask for the time.',
        });
      },
      { date: true },
    );
    const page = await stage.open();
    const chat = chatPage(page);
    await streamsAnswerWithToolCall();
    const second = await stage.openBeside(page, await chat.path());
    const other = chatPage(second);
    await showsWholeAnswerOnceInBothTabs();
    await stopsFromOtherTab();
    await second.close();
    await saysThatNoProcessWorksOnIt();
    await recoversFromLostNetwork();

    async function streamsAnswerWithToolCall(): Promise<void> {
      const { promise: untilWritten, resolve: written } = Promise.withResolvers<void>();
      await page.route('**/messages', (route) => untilWritten.then(() => route.continue()));
      await chat.send('What time is it in Tokyo?');
      // A draft typed before the new chat has its URL is kept when it gets one.
      await chat.composer.pressSequentially('Thanks');
      written();
      await chat.reads(held.noon.beginning);
      expect(await chat.text()).not.toContain(END);
      held.noon.release();
      await chat.reads(held.noon.end);
      await chat.rests();
      expect(await chat.path()).toMatch(/^\/c\/.+/);
      expect(await chat.composer.inputValue()).toBe('Thanks');
      expect(await chat.text()).toMatch(/get-date|Date/);
      const answered = stage.model.requests.at(-1)?.text ?? '';
      expect(answered).toMatch(/Asia\/Tokyo/);
      expect(answered).toMatch(/\d{4}-\d{2}-\d{2}/);
    }

    async function showsWholeAnswerOnceInBothTabs(): Promise<void> {
      await chat.send('Show it in two tabs');
      await chat.reads(held.twice.beginning);
      await page.reload();
      for (const one of [chat, other]) await one.reads(held.twice.beginning);
      held.twice.release();
      for (const one of [chat, other]) {
        await one.reads(held.twice.end);
        await one.rests();
        const text = await shown(one);
        expect(countOf(held.twice.whole, text)).toBe(1);
        expect(countOf('Show it in two tabs', text)).toBe(1);
      }
    }

    async function stopsFromOtherTab(): Promise<void> {
      await chat.send('I will stop this');
      for (const one of [chat, other]) await one.reads(held.stopped.beginning);
      await other.stop();
      await chat.rests();
      await chat.reads('You stopped this answer.');
      expect(await shown(chat)).not.toContain(held.stopped.whole);
      await expect.poll(() => stage.model.requests.at(-1)?.clientLeft).toBe(true);
      await chat.send('And now?');
      await chat.reads('Gladly.');
      await chat.rests();
    }

    // The response of the server is tested with real processes in roles-mcp.
    async function saysThatNoProcessWorksOnIt(): Promise<void> {
      await page.clock.install();
      await chat.send('Then comes the network');
      await chat.reads(held.lost.beginning);
      let role = 'worker';
      await page.route('**/api/runs/*', async (route) => {
        const response = await route.fetch();
        const run = (await response.json()) as object;
        await route.fulfill({ response, json: { ...run, waitsFor: { role, message: 'None is running.' } } });
      });
      const noWorker = page.getByText('No worker process is running.');
      // The page asks once an answer has stopped growing, and again every five seconds.
      await page.clock.fastForward(5_000);
      await noWorker.waitFor();
      expect(await noWorker.textContent()).toContain('toolyard serve --role worker');
      role = 'tools';
      const noTools = page.getByText('No process can run the local MCP server');
      await page.clock.fastForward(5_000);
      await noTools.waitFor();
      expect(await noTools.textContent()).toContain('toolyard serve --role tools');
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.clock.fastForward(5_000);
      await noTools.waitFor({ state: 'detached' });
    }

    async function recoversFromLostNetwork(): Promise<void> {
      const path = `/api/conversations/${(await chat.path()).split('/').at(-1) ?? ''}`;
      stage.line.cut();
      const notice = page.getByText('Connection to the server lost').or(page.getByText('Disconnected'));
      await notice.first().waitFor();
      held.lost.release();
      const isAnswered = async () => (await call<ConversationView>(stage.server.url, 'GET', path)).activeRun === null;
      await Promise.all([page.waitForEvent('requestfailed'), eventually(isAnswered)]);
      stage.line.mend();
      await chat.reads(held.lost.end);
      await chat.rests();
      expect(countOf(held.lost.whole, await shown(chat))).toBe(1);
      await page.getByText('Disconnected').waitFor({ state: 'detached' });
    }
  });

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
      await chat.rests();
    }

    async function retriesAfterRejectedKey(): Promise<void> {
      await chat.send('Hello?');
      await page.getByRole('status').getByText('The answer could not be generated').waitFor({ state: 'attached' });
      await chat.reads(/key/i);
      await chat.rests();
      refuses = false;
      await chat.messages
        .getByRole('button', { name: /Try again|Answer now/ })
        .first()
        .click();
      await chat.reads('Here I am.');
      await chat.rests();
    }

    async function branchesOnRegenerateAndEdit(): Promise<void> {
      await chat.send('First message');
      await chat.reads('Answer 1 to');
      await chat.rests();
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
      await chat.rests();
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
      await chat.rests();
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
      await chat.rests();
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
      await chat.rests();
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
      await chat.rests();
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
      await chat.rests();
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

  test('keeps a draft while the server is down, resumes its answer, and asks about a call in doubt', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'page-chat-'));
    const countFile = join(folder, 'count');
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const behaviour = { tools: [{ name: 'send_mail', does: [{ do: 'count' as const }, { do: 'never' as const }] }] };
    await using mcp = await startScriptedMcp(behaviour, { countFile });
    const held = holdAnswer();
    const { open, server } = await setProcess(
      ({ body }) => {
        const text = asked(body);
        if (isToolResult(body)) return reply.text(`It said: ${JSON.stringify((body as Messages).messages.at(-1))}`);
        if (text.includes('mail')) return reply.toolCalls([{ name: 'send_mail', arguments: { to: 'Anne' } }]);
        return text.includes('Go on.') ? held.script() : reply.text('Now I am.');
      },
      { args: ['--mcp', `mail=${mcp.url}`] },
    );
    const page = await open();
    const chat = chatPage(page);
    await resumesAnswerAndKeepsDraft();
    await asksAboutCallInDoubt();

    async function resumesAnswerAndKeepsDraft(): Promise<void> {
      await chat.send('Go on.');
      await chat.reads(held.beginning);
      await chat.path();
      await server.kill();
      await chat.send('Are you there?');
      const unreachable = page.getByText('The server could not be reached.').first();
      await unreachable.waitFor();
      await expect.poll(() => chat.composer.inputValue()).toBe('Are you there?');
      await server.restart();
      await chat.reads('Interrupted by a restart');
      held.release();
      await chat.reads(held.end);
      await chat.rests();
      expect(countOf(END, await chat.text())).toBe(1);

      await unreachable.waitFor({ state: 'detached' });
      await chat.composer.press('Enter');
      await chat.reads('Now I am.');
      await chat.rests();
      expect(countOf('Are you there?', await chat.text())).toBe(1);
    }

    async function asksAboutCallInDoubt(): Promise<void> {
      const calls = (): number => statSync(countFile, { throwIfNoEntry: false })?.size ?? 0;
      const card = chat.card('send_mail');
      await chat.send('Write a mail.');
      await card.getByRole('button', { name: 'Allow once' }).click();
      await card.getByText('Running').waitFor();
      await eventually(() => calls() === 1);
      await server.restart();
      const interrupt = page.locator('[data-interrupt]');
      await interrupt.getByText('Did “send_mail” take effect?').waitFor();
      await interrupt.getByRole('button', { name: 'It worked' }).click();
      await interrupt.getByRole('textbox').and(page.locator(':focus')).waitFor();
      await page.keyboard.type('Anne has it.');
      await interrupt.getByRole('button', { name: 'Submit result' }).click();
      await card.getByText('Done').waitFor();
      await chat.reads(/It said: .*Anne has it\./);
      expect(calls()).toBe(1);
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
    await chat.rests();
  });
});

import { expect, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import type { ModelReply } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage, countOf } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

/** Ninety words, so that nothing can be seen half by chance. */
const LONG = Array.from({ length: 90 }, (_, index) => `word${String(index)}`).join(' ');
const BEGINNING = 'word3 ';
const END = 'word89';

/** An answer that stands still behind its beginning until it is told to go on. */
function halfAnAnswer(before = ''): { script: () => ModelReply; goOn: () => void } {
  const { promise: until, resolve: goOn } = Promise.withResolvers<void>();
  return { script: () => reply.text(before + LONG, { pieces: 7, hold: { behind: 12, until } }), goOn };
}

type Messages = { messages: { role: string; content: unknown }[] };

describePage('a conversation in the page', ({ set, setProcess }) => {
  test('an answer streams in through get-date', async () => {
    const { script, goOn } = halfAnAnswer('It is noon in Tokyo. ');
    const { open, model } = await set(
      ({ body }) =>
        (body as Messages).messages.at(-1)?.role === 'tool'
          ? script()
          : reply.toolCalls([{ name: 'get-date', arguments: { timezone: 'Asia/Tokyo' } }], {
              reasoning: 'They ask for the time.',
            }),
      { date: true },
    );
    const page = await open();
    const chat = chatPage(page);
    const { promise: untilWritten, resolve: written } = Promise.withResolvers<void>();
    await page.route('**/messages', (route) => untilWritten.then(() => route.continue()));
    await chat.send('What time is it in Tokyo?');
    // Written before the new chat has its address, it is not lost when it gets one.
    await chat.composer.pressSequentially('Thanks');
    written();
    await chat.reads('It is noon in Tokyo.');
    expect(await chat.text()).not.toContain(END);
    goOn();
    await chat.reads(new RegExp(END));
    await chat.rests();

    expect(await chat.path()).toMatch(/^\/c\/.+/);
    expect(await chat.composer.inputValue()).toBe('Thanks');
    expect(await chat.text()).toMatch(/get-date|Date/);
    const answered = model.requests.at(-1)?.text ?? '';
    expect(answered).toMatch(/Asia\/Tokyo/);
    expect(answered).toMatch(/\d{4}-\d{2}-\d{2}/);
  });

  test('a reload and a second tab in mid-answer show the same whole answer, once', async () => {
    const { script, goOn } = halfAnAnswer();
    const { open, openBeside } = await set(script);
    const page = await open();
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads(new RegExp(BEGINNING));
    const second = await openBeside(page, await chat.path());
    await page.reload();
    const other = chatPage(second);
    for (const one of [chat, other]) await one.reads(new RegExp(BEGINNING));
    goOn();
    for (const one of [chat, other]) {
      await one.reads(new RegExp(END));
      await one.rests();
      const text = await one.text();
      expect(countOf(LONG, text.replaceAll(/\s+/g, ' '))).toBe(1);
      expect(countOf('Go on.', text)).toBe(1);
    }
  });

  test('a server that is killed and started again in mid-answer finishes it in the open page', async () => {
    const { script, goOn } = halfAnAnswer();
    const { open, server } = await setProcess(script);
    const page = await open();
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads(new RegExp(BEGINNING));
    await chat.path();
    await server.restart();
    await chat.reads('Interrupted by a restart');
    goOn();
    await chat.reads(new RegExp(END));
    await chat.rests();
    expect(countOf(END, await chat.text())).toBe(1);
  });

  test('a network that is gone for ten seconds costs nothing', async () => {
    const { script, goOn } = halfAnAnswer();
    const { open, line } = await set(script);
    const page = await open();
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads(new RegExp(BEGINNING));
    await chat.path();
    line.cut();
    goOn();
    await page.getByText('The connection to the server is lost').or(page.getByText('Not connected')).first().waitFor();
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    line.mend();
    await chat.reads(new RegExp(END));
    await chat.rests();
    expect(countOf(LONG, (await chat.text()).replaceAll(/\s+/g, ' '))).toBe(1);
    await page.getByText('Not connected').waitFor({ state: 'detached' });
  });

  test('an answer is stopped from the other tab, and the conversation goes on', async () => {
    const { open, openBeside, model } = await set(halfAnAnswer().script);
    const page = await open();
    const chat = chatPage(page);
    await chat.send('Go on.');
    await chat.reads(new RegExp(BEGINNING));
    const other = chatPage(await openBeside(page, await chat.path()));
    await other.reads(new RegExp(BEGINNING));
    await other.stop();
    await chat.rests();
    await chat.reads('You stopped this answer.');
    expect(await chat.text()).not.toContain(END);
    await expect.poll(() => model.requests.at(-1)?.clientLeft).toBe(true);

    await chat.send('And now?');
    await chat.reads('And now?');
    await expect.poll(() => model.requests.filter(({ method }) => method === 'POST').length).toBe(2);
  });

  test('an edited message and another answer are branches, and both can be shown', async () => {
    let answers = 0;
    const { open } = await set(({ body }) => {
      const last = (body as Messages).messages.at(-1)?.content;
      answers += 1;
      return reply.text(`Answer ${String(answers)} to: ${JSON.stringify(last)}`);
    });
    const page = await open();
    const chat = chatPage(page);
    await chat.send('First question');
    await chat.reads('Answer 1 to');
    await chat.rests();

    await chat.messages.getByText('Answer 1 to').hover();
    await chat.messages.getByRole('button', { name: 'Answer again' }).click();
    await chat.reads('Answer 2 to');
    expect(await chat.text()).not.toContain('Answer 1 to');
    await chat.messages.getByRole('button', { name: 'Earlier version' }).click();
    await chat.reads('Answer 1 to');

    await chat.messages.getByText('First question').first().hover();
    await chat.messages.getByRole('button', { name: 'Edit', exact: true }).click();
    const field = page.getByRole('textbox', { name: 'Edit the message' });
    await field.fill('Second question');
    await field.press('Enter');
    await chat.reads('Answer 3 to');
    expect(await chat.text()).not.toContain('First question');

    await page.reload();
    await chat.reads('Answer 3 to');
    await chat.messages.getByText('Second question').first().hover();
    await chat.messages.getByRole('button', { name: 'Earlier version' }).first().click();
    await chat.reads('First question');
  });

  test('a message sent in mid-answer waits, can be changed, and is answered after it', async () => {
    const { script, goOn } = halfAnAnswer();
    const { open, server } = await set(({ body }) => {
      const last = JSON.stringify((body as Messages).messages.at(-1)?.content);
      return last.includes('first') ? script() : reply.text(`Heard: ${last}`);
    });
    const page = await open();
    const chat = chatPage(page);
    await chat.send('the first one');
    await chat.reads(new RegExp(BEGINNING));
    await chat.send('the second one');
    await page.getByText('1 message waiting').waitFor();
    await page.getByRole('button', { name: 'Edit', exact: true }).last().click();
    const field = page.getByRole('textbox', { name: 'Edit the waiting message' });
    await field.fill('a changed one');
    await field.press('Enter');
    const id = (await chat.path()).split('/').at(-1) ?? '';
    const waiting = async () => (await call<ConversationView>(server.url, 'GET', `/api/conversations/${id}`)).queue;
    await expect.poll(async () => JSON.stringify(await waiting())).toContain('a changed one');
    goOn();
    await chat.reads(/Heard: .*a changed one/);
    await chat.rests();
    expect(await chat.text()).toContain(END);
    await page.getByText('1 message waiting').waitFor({ state: 'detached' });
  });

  test('an image goes to the model and stays in the conversation', async () => {
    const { open, model } = await set(() => reply.text('A red dot.'));
    const page = await open();
    const chat = chatPage(page);
    const png = Buffer.from(
      'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==',
      'base64',
    );
    await chat.attach({ name: 'dot.png', mimeType: 'image/png', buffer: png });
    await chat.send('What is this?');
    await chat.reads('A red dot.');
    expect(model.requests.at(-1)?.text).toContain('data:image/png;base64,iVBOR');
    await chat.path();
    await page.reload();
    await chat.messages.locator('img').first().waitFor();
    await expect.poll(() => page.evaluate<number>('document.querySelector("main img").naturalWidth')).toBe(1);
  });

  test('a model that refuses the key says so, and the answer is tried again', async () => {
    let refuses = true;
    const { open } = await set(() =>
      refuses ? reply.error(401, 'Incorrect API key provided.') : reply.text('Here I am.'),
    );
    const page = await open();
    const chat = chatPage(page);
    await chat.send('Hello?');
    await chat.reads(/key/i);
    await chat.rests();
    refuses = false;
    await chat.messages
      .getByRole('button', { name: /Try again|Answer it now/ })
      .first()
      .click();
    await chat.reads('Here I am.');
  });

  test('everything is done by keyboard alone', async () => {
    const { open } = await set(() => reply.text('Read **this** aloud.'));
    const page = await open();
    const chat = chatPage(page);
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
    // From the input back into the answer, and its actions.
    const names: string[] = [];
    for (let step = 0; step < 12; step++) {
      await page.keyboard.press('Shift+Tab');
      names.push(await page.evaluate<string>('document.activeElement?.getAttribute("aria-label") ?? ""'));
      if (names.at(-1) === 'Answer again') break;
    }
    expect(names).toContain('Answer again');
    await page.keyboard.press('Enter');
    await chat.messages.getByText('2/2').waitFor();
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
  });

  test('where one reads nothing moves while the answer goes on, and a button leads back to its end', async () => {
    const { script, goOn } = halfAnAnswer();
    const { open } = await set(script);
    const page = await open('/', { viewport: { width: 420, height: 400 } });
    const chat = chatPage(page);
    const log = 'document.querySelector("[role=log]")';
    await chat.send(`Go on.\n\n${'A line that makes the question long.\n'.repeat(12)}`);
    await chat.reads(new RegExp(BEGINNING));
    await chat.messages.focus();
    await page.keyboard.press('Home');
    // The page knows that one reads elsewhere: a browser scrolls some time after the key.
    const back = page.getByRole('button', { name: 'To the latest message' });
    await back.waitFor();
    const place = () => page.evaluate<number>(`${log}.scrollTop`);
    const height = () => page.evaluate<number>(`${log}.scrollHeight`);
    const before = [await place(), await height()] as const;
    goOn();
    await expect.poll(height).toBeGreaterThan(before[1]);
    expect(await place()).toBe(before[0]);
    await back.click();
    await chat.reads(new RegExp(END));
    await chat.rests();
    const left = () => page.evaluate<number>(`${log}.scrollHeight - ${log}.clientHeight - ${log}.scrollTop`);
    await expect.poll(left).toBeLessThan(2);
  });

  test('earlier messages come as one scrolls up, and what one reads stays where it is', async () => {
    const { open, server } = await set(({ body }) =>
      reply.text(`To ${JSON.stringify((body as Messages).messages.at(-1)?.content)}`),
    );
    const { id } = await call<{ id: string }>(server.url, 'POST', '/api/conversations', {});
    for (let turn = 0; turn < 45; turn++) {
      const parts = [{ type: 'text', text: `${'A question. '.repeat(turn % 7)} #${String(turn)}#` }];
      await call(server.url, 'POST', `/api/conversations/${id}/messages`, { parts });
    }
    // Between two answers none is under way.
    const left = async () => {
      const { activeRun, queue } = await call<ConversationView>(server.url, 'GET', `/api/conversations/${id}`);
      return queue.length + (activeRun === null ? 0 : 1);
    };
    await expect.poll(left, { timeout: 240_000 }).toBe(0);

    const page = await open(`/c/${id}`);
    const chat = chatPage(page);
    await chat.reads('#44#');
    await page.evaluate(
      `window.moved = 0;
        new PerformanceObserver((list) => {
          for (const entry of list.getEntries()) window.moved += entry.value;
        }).observe({ type: 'layout-shift' });`,
    );
    await chat.messages.focus();
    await eventually(async () => {
      await page.keyboard.press('PageUp');
      return (await chat.messages.getByText('#0#').count()) > 0;
    });
    // A page of messages that jumps is 0.3 and more; a line may be measured while one scrolls.
    expect(await page.evaluate<number>('window.moved')).toBeLessThan(0.05);
    expect(await chat.messages.locator('article').count()).toBeLessThan(60);
    await page.keyboard.press('End');
    await chat.reads('#44#');
  });

  test('what was written comes back where the server is gone', async () => {
    const { open, server } = await setProcess(() => reply.text('Now I am.'));
    const page = await open();
    const chat = chatPage(page);
    await chat.send('First.');
    await chat.reads('Now I am.');
    await chat.rests();
    await server.kill();
    await chat.send('Are you there?');
    await page.getByText('The server could not be reached.').first().waitFor();
    await expect.poll(() => chat.composer.inputValue()).toBe('Are you there?');
    await server.restart();
    await page.getByText('The server could not be reached.').first().waitFor({ state: 'detached' });
    await chat.composer.press('Enter');
    await expect.poll(async () => countOf('Now I am.', await chat.text())).toBe(2);
    expect(countOf('Are you there?', await chat.text())).toBe(1);
  });

  test('a first start without a model is explained, and the demo answers with a tool', async () => {
    const { open } = await set(() => reply.text('Never asked.'), {
      date: true,
      env: { OPENAI_BASE_URL: '', OPENAI_API_KEY: '' },
    });
    const page = await open();
    await page.getByRole('heading', { name: 'Toolyard needs a model' }).waitFor();
    await page.getByRole('button', { name: 'Ask the demo for the time' }).click();
    const chat = chatPage(page);
    await chat.reads(/\d{1,2}:\d{2}/);
    await chat.rests();
  });
});

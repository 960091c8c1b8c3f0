import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import { eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage, countOccurrences } from './support/chat-page.ts';
import type { Messages } from './support/held-answer.ts';
import { asked, END, holdAnswer } from './support/held-answer.ts';
import { describePage } from './support/page-stage.ts';

function isToolResult(body: unknown): boolean {
  return (body as Messages).messages.at(-1)?.role === 'tool';
}

type Chat = ReturnType<typeof chatPage>;

const shown = async (chat: Chat): Promise<string> => (await chat.text()).replaceAll(/\s+/g, ' ');

describePage('answers in the page, also after a lost connection', ({ set, setProcess }) => {
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
      await chat.waitUntilIdle();
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
        await one.waitUntilIdle();
        const text = await shown(one);
        expect(countOccurrences(held.twice.whole, text)).toBe(1);
        expect(countOccurrences('Show it in two tabs', text)).toBe(1);
      }
    }

    async function stopsFromOtherTab(): Promise<void> {
      await chat.send('I will stop this');
      for (const one of [chat, other]) await one.reads(held.stopped.beginning);
      await other.stop();
      await chat.waitUntilIdle();
      await chat.reads('You stopped this answer.');
      expect(await shown(chat)).not.toContain(held.stopped.whole);
      await expect.poll(() => stage.model.requests.at(-1)?.clientLeft).toBe(true);
      await chat.send('And now?');
      await chat.reads('Gladly.');
      await chat.waitUntilIdle();
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
      await chat.waitUntilIdle();
      expect(countOccurrences(held.lost.whole, await shown(chat))).toBe(1);
      await page.getByText('Disconnected').waitFor({ state: 'detached' });
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
      await chat.waitUntilIdle();
      expect(countOccurrences(END, await chat.text())).toBe(1);

      await unreachable.waitFor({ state: 'detached' });
      await chat.composer.press('Enter');
      await chat.reads('Now I am.');
      await chat.waitUntilIdle();
      expect(countOccurrences('Are you there?', await chat.text())).toBe(1);
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
});

import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { startCountingServer } from './support/counting-server.ts';
import { describePage } from './support/page-stage.ts';
import { openHostileDocuments } from './support/preview-attack.ts';
import { getContent, getPanel } from './support/preview-panel.ts';

// Of the browser: functions given to `evaluate` run in the page.
declare const document: {
  activeElement: { textContent: string | null } | null;
  fullscreenElement: unknown;
};
declare const navigator: { clipboard: { readText: () => Promise<string> } };

const code = (info: string, text: string): string => `\`\`\`${info}\n${text}\n\`\`\``;

function lastMessage(body: unknown): string {
  return JSON.stringify((body as { messages: unknown[] }).messages.at(-1));
}

/** Errors that the browser logs for what a frame was refused. */
const REFUSED = /Content Security Policy|sandbox|Boom at the wall/;

describePage('previews', ({ set }) => {
  test('run a document beside the chat, in all its versions, without a network', async () => {
    await using counting = await startCountingServer();
    const game = (text: string, more = ''): string =>
      [
        '<!doctype html>',
        '<title>Snake</title>',
        `<p>${text}</p><p id="net">waiting</p><p id="clicks">0</p>`,
        `<button onclick="clicks.textContent = Number(clicks.textContent) + 1">Count</button>`,
        `<button onclick="throw new Error('Boom at the wall')">Crash</button>`,
        `<script>fetch('${counting.http}/data').then((r) => r.text(), () => 'refused').then((t) => { net.textContent = 'fetch ' + t; });</script>`,
        more,
      ]
        .join('\n')
        .trimEnd();
    const asked: string[] = [];
    const stage = await set(
      ({ body }) => {
        const last = lastMessage(body);
        asked.push(last);
        return last.includes('Boom at the wall')
          ? reply.text(`Corrected:\n\n${code('html snake.html', game('Snake two', '<p>better</p>'))}`)
          : reply.text(`Here:\n\n${code('html snake.html', game('Snake one'))}`);
      },
      { direct: true },
    );
    const page = await stage.open('/', { viewport: { width: 1440, height: 1000 } });
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const chat = chatPage(page);
    const panel = getPanel(page);
    const content = getContent(page);
    const reads = (text: string) => content.getByText(text, { exact: true }).waitFor();
    await chat.send('Make a game');
    await chat.waitUntilIdle();
    const opener = chat.messages.getByRole('button', { name: 'Preview' });
    await opener.click();
    await reads('Snake one');

    await refusesAndAllowsNetwork();
    await keepsStateOfTheme();
    await reportsErrors();
    await fillsTheScreen();
    await showsVersions();
    await savesAndCopies();
    await isResizedAndClosed();
    await coversPhone();
    const unexpected = stage.complaints.splice(0).filter((text) => !REFUSED.test(text));
    expect(unexpected).toEqual([]);

    async function refusesAndAllowsNetwork(): Promise<void> {
      await reads('fetch refused');
      const allow = panel.getByRole('button', { name: `Allow ${new URL(counting.http).host}` });
      const dialog = page.getByRole('dialog');
      await allow.click();
      await dialog.getByText(counting.http, { exact: true }).waitFor();
      await dialog.getByText('is your device or part of your network').waitFor();
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      expect(counting.seen).toEqual([]);
      await allow.click();
      await dialog.getByRole('button', { name: 'Allow' }).click();
      await reads('fetch counted');
      expect(counting.seen).toContain('/data');
      // Remembered for this document.
      await page.reload();
      await opener.click();
      await reads('fetch counted');
      await panel.getByText('1 host allowed').click();
      await panel.getByRole('button', { name: `Revoke ${counting.http}` }).click();
      await reads('fetch refused');
      counting.seen.length = 0;
    }

    async function keepsStateOfTheme(): Promise<void> {
      await content.getByRole('button', { name: 'Count' }).click();
      await content.locator('#clicks').getByText('1').waitFor();
      await page.emulateMedia({ colorScheme: 'dark' });
      await content.locator('html[data-theme=dark][lang=en]').waitFor();
      expect(await content.locator('#clicks').innerText()).toBe('1');
      expect(await axeFinds(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'light' });
    }

    async function reportsErrors(): Promise<void> {
      await content.getByRole('button', { name: 'Crash' }).click();
      const entry = panel.getByRole('listitem').filter({ hasText: 'Boom at the wall' });
      await chat.composer.fill('Please:');
      await entry.getByRole('button', { name: 'Fix this error' }).click();
      await eventually(async () => (await chat.composer.inputValue()).includes('```\nError: Boom at the wall'));
      expect(await chat.composer.inputValue()).toMatch(/^Please:\n\nThe preview of “Snake” \(version 1\)/);
      expect(await chat.composer.evaluate((field) => field === document.activeElement)).toBe(true);
      expect(asked).toHaveLength(1);
    }

    async function fillsTheScreen(): Promise<void> {
      await panel.getByRole('button', { name: 'Full screen' }).click();
      await eventually(() => page.evaluate(() => document.fullscreenElement !== null));
      const frame = await panel.locator('iframe').boundingBox();
      expect(frame?.width).toBeGreaterThan(1390);
      expect(frame?.height).toBeGreaterThan(560);
      await panel.getByRole('button', { name: 'Exit full screen' }).press('Escape');
      await eventually(() => page.evaluate(() => document.fullscreenElement === null));
      await panel.getByRole('button', { name: 'Full screen' }).waitFor();
    }

    async function showsVersions(): Promise<void> {
      await chat.composer.press('Enter');
      // The newest version follows by itself.
      await reads('Snake two');
      await chat.waitUntilIdle();
      const version = panel.getByRole('combobox', { name: 'Version' });
      expect(await version.locator('option:checked').innerText()).toBe('Version 2 of 2');
      await panel.getByText('Changes').click();
      await panel.getByText('2 lines added').waitFor();
      const added = panel.getByRole('listitem').filter({ hasText: 'Added:' });
      expect((await added.allInnerTexts()).join()).toContain('<p>better</p>');
      expect(await axeFinds(page)).toEqual([]);
      await panel.getByText('Source', { exact: true }).click();
      await panel.getByRole('group', { name: 'Code' }).getByText('better').waitFor();
      await version.selectOption({ label: 'Version 1 of 2' });
      await panel.getByText('Preview', { exact: true }).click();
      await reads('Snake one');
    }

    async function savesAndCopies(): Promise<void> {
      const saved = page.waitForEvent('download');
      await panel.getByRole('button', { name: 'Download snake.html' }).click();
      const download = await saved;
      expect(download.suggestedFilename()).toBe('snake.html');
      expect(await readFile(await download.path(), 'utf8')).toBe(game('Snake one'));
      await panel.getByRole('button', { name: 'Copy source' }).click();
      await panel.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(game('Snake one'));
    }

    async function isResizedAndClosed(): Promise<void> {
      const width = async (): Promise<number> => (await panel.boundingBox())?.width ?? 0;
      const before = await width();
      await panel.getByRole('separator').press('ArrowRight');
      await eventually(async () => (await width()) < before);
      await panel.getByRole('button', { name: 'Copy source' }).press('Escape');
      await panel.waitFor({ state: 'detached' });
      await eventually(() => opener.first().evaluate((button) => button === document.activeElement));
      expect(counting.seen).toEqual([]);
    }

    async function coversPhone(): Promise<void> {
      await page.setViewportSize({ width: 390, height: 800 });
      await opener.last().click();
      await reads('Snake two');
      expect(await panel.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 800 });
      expect(await page.locator('main[inert]').count()).toBe(1);
      await page.keyboard.press('Escape');
      await panel.waitFor({ state: 'detached' });
      expect(await page.locator('main[inert]').count()).toBe(0);
    }
  });

  test('show images, tables, diagrams and text, and the source with the reason if they are invalid', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    const answer = [
      code(
        'svg',
        '<svg xmlns="http://www.w3.org/2000/svg" width="80" height="80"><title>Sun</title><circle r="30" cx="40" cy="40"/></svg>',
      ),
      code('svg', '<svg xmlns="http://www.w3.org/2000/svg"><g></svg>'),
      code('csv', 'City,People\nOslo,"709,000"\n=1+1,<b>x</b>'),
      code('csv', 'City,People\nOslo,"709'),
      code('mermaid', 'flowchart LR\n  accTitle: Ways\n  A --> B'),
      code('mermaid', 'flowchart LR\n  A -->'),
      code('markdown', '# Title\n\n**bold** $x^2$'),
      code('python', '# app.py\nprint(1)'),
      code('html', `<title>Slow</title><p>first part</p>\n<!-- ${'x'.repeat(100)} -->\n<p>second part</p>`),
    ].join('\n\n');
    const behind = Math.floor(answer.indexOf('xxx') / 20) + 3;
    const stage = await set(() => reply.text(answer, { pieces: 20, hold: { behind, until } }), { direct: true });
    const page = await stage.open();
    const chat = chatPage(page);
    const panel = getPanel(page);
    await chat.send('Show me');
    await chat.reads(/x{9}/);
    const buttons = chat.messages.getByRole('button', { name: /^(Preview|Open beside the chat)$/ });
    const open = (index: number): Promise<void> => buttons.nth(index).click();

    await open(8);
    await getContent(page).getByText('first part').waitFor();
    await panel.getByText('Still being written').waitFor();
    release();
    await getContent(page).getByText('second part').waitFor();
    await panel.getByText('Still being written').waitFor({ state: 'detached' });

    await open(0);
    await panel.getByRole('heading', { name: 'Sun' }).waitFor();
    await getContent(page).locator('circle').waitFor();
    await open(1);
    await panel.getByText(/This image cannot be shown: error on line 1/).waitFor();
    await panel.getByRole('group', { name: 'Code' }).getByText('<g>').waitFor();
    await open(2);
    await panel.getByRole('cell', { name: '709,000' }).waitFor();
    await panel.getByRole('cell', { name: '<b>x</b>' }).waitFor();
    await open(3);
    await panel.getByText('the quoted value that begins in line 2 has no end').waitFor();
    await panel.getByRole('button', { name: 'Fix this error' }).click();
    expect(await chat.composer.inputValue()).toContain('begins in line 2');
    await open(4);
    await panel.getByRole('button', { name: /Diagram: Ways/ }).waitFor();
    await open(5);
    await panel.getByText(/This diagram could not be drawn/).waitFor();
    await panel.getByRole('group', { name: 'Code' }).getByText('A -->').waitFor();
    await open(6);
    await panel.getByRole('heading', { name: 'Title' }).last().waitFor();
    await panel.locator('.katex').waitFor();
    await open(7);
    await panel.getByRole('heading', { name: 'app.py' }).waitFor();
    await panel.getByText('print').waitFor();
    expect(await axeFinds(page)).toEqual([]);
  });

  // Twelve of them: `page-preview.long.test.ts`.
  test('attack 15: hostile documents reach neither the page nor any other host', () =>
    openHostileDocuments(set, ['Storage and the window of the page', 'Requests to other hosts']));
});

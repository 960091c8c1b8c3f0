import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConversationView } from '@toolyard/protocol';
import { startScriptedMcp } from '@toolyard/testing';
import type { McpBehaviour, ScriptedMcp } from '@toolyard/testing';
import type { Page } from 'playwright-core';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { call, useAccessToken } from './support/api.ts';
import { launchBrowser } from './support/browser.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { LocalServer } from './support/local-server.ts';
import { startLocalServer } from './support/local-server.ts';
import { readAccessToken, signInFragment } from './support/stage.ts';
import { pauseClock } from './support/pause-clock.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
const ELSEWHERE = 'https://elsewhere.example/report.pdf';

const NOTES: McpBehaviour = {
  serverInfo: { name: 'notes', version: '1', title: 'Notes and mail' },
  tools: [
    {
      name: 'write_note',
      title: 'Write a note',
      description: 'Appends.',
      annotations: { destructiveHint: true },
      does: [{ do: 'count' }],
    },
    {
      name: 'show',
      does: [
        {
          do: 'result',
          result: {
            content: [
              { type: 'text', text: '{"rows":[{"id":1}]}' },
              { type: 'image', mimeType: 'image/png', data: PIXEL },
              { type: 'image', mimeType: 'image/svg+xml', data: 'PHN2Zy8+' },
              { type: 'resource_link', uri: ELSEWHERE, name: 'Report', mimeType: 'application/pdf' },
              {
                type: 'resource',
                resource: { uri: 'notes://1', text: '<img src="https://elsewhere.example/pixel.png">' },
              },
            ],
          },
        },
      ],
    },
  ],
};

describeInBrowser('tool cards in a browser', () => {
  let folder: string;
  let mcp: ScriptedMcp;
  let server: LocalServer;
  let page: Page;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tool-cards-'));
    mcp = await startScriptedMcp(NOTES, { countFile: join(folder, 'count') });
    server = await startLocalServer({ token: true, args: ['--no-date', '--mcp', `notes=${mcp.url}`] });
    useAccessToken(server.url, readAccessToken(server));
    page = await (await launchBrowser()).newPage({ viewport: { width: 900, height: 800 }, locale: 'en' });
    page.setDefaultTimeout(60_000);
    await page.clock.install();
    const model = { providerId: 'demo', modelId: 'demo' };
    const body = { configuration: { model } };
    const { id } = await call<ConversationView>(server.url, 'POST', '/api/conversations', body);
    await page.goto(`${server.url}/c/${id}${await signInFragment(server.url)}`);
  });
  afterEach(async () => {
    await page.close();
    useAccessToken(server.url, null);
    await server[Symbol.asyncDispose]();
    await mcp.close();
    rmSync(folder, { recursive: true });
  });

  const timesRun = (): number => statSync(join(folder, 'count'), { throwIfNoEntry: false })?.size ?? 0;
  /** The arguments of the latest call. */
  const card = () => page.locator('[data-tool-card]').last();
  const interrupt = () => page.locator('[data-interrupt]');
  const answers = () => page.getByText('not a language model').count();
  const stop = () => page.getByRole('button', { name: 'Stop', exact: true });
  const composer = () => page.getByRole('textbox', { name: 'Message' });

  /** Sends a message after the previous answer is complete. */
  async function say(text: string): Promise<void> {
    await stop().waitFor({ state: 'detached' });
    await composer().fill(text);
    await composer().press('Enter');
  }

  /** Waits until the interrupt has the focus and accepts keys. */
  async function whenAsked(): Promise<void> {
    await page.clock.fastForward(1_000);
    await page.locator('[data-interrupt]:focus').waitFor();
    await page.clock.fastForward(1_000);
  }

  /** The heights of interrupts since then; each new height moves the buttons of one. */
  async function heightsOfInterrupts(): Promise<() => Promise<number[]>> {
    await page.evaluate(`
      window.heights = new Set();
      const sizes = new ResizeObserver((all) => all.forEach(({ target }) => window.heights.add(target.clientHeight)));
      const watch = () => document.querySelectorAll('[data-interrupt]').forEach((one) => sizes.observe(one));
      new MutationObserver(watch).observe(document.body, { childList: true, subtree: true });
    `);
    return () => page.evaluate<number[]>('[...window.heights]');
  }

  async function asksAndAllowsOnEnter(): Promise<void> {
    const heights = await heightsOfInterrupts();
    await say('/call write_note {"path":"/home/me/notes.md","text":"first\\nsecond"}');
    await whenAsked();
    const asked = await interrupt().innerText();
    for (const said of ['notes/write_note', '"/home/me/notes.md"', 'second"', 'Can change or delete', 'as the model']) {
      expect(asked).toContain(said);
    }
    expect(await heights()).toHaveLength(1);
    expect(timesRun()).toBe(0);
    await page.keyboard.press('Enter');
    await card().getByText('Done').waitFor();
    expect(timesRun()).toBe(1);
    await page.locator('textarea:focus').waitFor();
  }

  async function allowsLongCallOnceItsEndWasSeen(): Promise<void> {
    const allow = interrupt().getByRole('button', { name: 'Allow once' });
    const keys = interrupt().getByText('Enter allows once');
    await say(`/call write_note ${JSON.stringify({ text: `begin${'\n'.repeat(300)}end` })}`);
    await interrupt().waitFor();
    await pauseClock(page);
    await composer().focus();
    expect(await keys.isVisible()).toBe(false);
    expect(await allow.isDisabled()).toBe(true);
    await interrupt().focus();
    expect(await interrupt().getByText('Scroll to the end').isVisible()).toBe(true);
    await page.clock.fastForward(1_000);
    // While the arguments are unread, Enter only scrolls to them.
    await page.keyboard.press('Enter');
    await page.locator('[data-arguments] pre:focus').waitFor();
    await page.keyboard.press('End');
    await allow.and(page.locator(':enabled')).waitFor();
    for (const element of [interrupt(), allow]) {
      await composer().focus();
      await element.focus();
      await page.keyboard.press('Enter');
      await page.keyboard.press(' ');
      expect(await allow.isEnabled()).toBe(true);
    }
    expect(timesRun()).toBe(1);
    await interrupt().focus();
    expect(await keys.isVisible()).toBe(true);
    await page.clock.fastForward(1_000);
    await page.keyboard.press('Enter');
    await page.clock.resume();
    await card().getByText('Done').waitFor();
    expect(timesRun()).toBe(2);
  }

  async function showsAllKindsOfResults(): Promise<void> {
    const hosts = new Set<string>();
    page.on('request', (request) => void hosts.add(new URL(request.url()).host));
    await say('/call show {}');
    await whenAsked();
    await page.keyboard.press('Enter');
    await card().getByText('Done').waitFor();
    await card().getByRole('button').first().click();
    await card().getByText('notes://1').waitFor();
    const link = card().getByRole('link', { name: 'Report' });
    expect(await link.getAttribute('href')).toBe(ELSEWHERE);
    expect(await link.getAttribute('rel')).toBe('noopener noreferrer');
    expect(await card().locator('img').count()).toBe(1);
    expect(await card().innerText()).toContain('<img src="https://elsewhere.example/pixel.png">');
    hosts.delete('');
    expect([...hosts]).toEqual([new URL(server.url).host]);
  }

  async function typesMessageInsteadOfAnswer(): Promise<void> {
    await say('/call write_note {}');
    await whenAsked();
    await page.keyboard.type('not yet');
    expect(await composer().inputValue()).toBe('not yet');
    expect(await interrupt().count()).toBe(1);
    expect(timesRun()).toBe(0);
    await composer().fill('');
  }

  async function refusesOnEscapeAlone(): Promise<void> {
    await interrupt().focus();
    await page.clock.fastForward(1_000);
    await page.keyboard.press('Escape');
    await card().getByText('Denied').waitFor();
    await page.getByText('not a language model').waitFor();
    expect(timesRun()).toBe(0);
  }

  async function refusesWithReason(): Promise<void> {
    await say('/call write_note {}');
    await interrupt().getByRole('button', { name: 'More ways to deny' }).click();
    await page.getByRole('menuitem', { name: 'Deny with a reason' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('not on this machine');
    await page.keyboard.press('Enter');
    await page.getByText('The tool write_note').getByText('not on this machine').waitFor();
    await card().getByRole('button').first().click();
    // After a reconnect the page has only the stored result, which contains the reason as well.
    await card().getByText(': not on this machine').waitFor();
  }

  async function refusesAndStops(): Promise<void> {
    await stop().waitFor({ state: 'detached' });
    const before = await answers();
    await say('/call write_note {}');
    await interrupt().getByRole('button', { name: 'More ways to deny' }).click();
    await page.getByRole('menuitem', { name: 'Deny with a reason' }).click();
    await page.getByRole('textbox', { name: 'Reason' }).and(page.locator(':focus')).waitFor();
    await page.keyboard.type('wrong house');
    await interrupt().getByRole('button', { name: 'Deny and stop' }).click();
    await card().getByText('Denied').waitFor();
    await stop().waitFor({ state: 'detached' });
    expect(await answers()).toBe(before);
    expect(timesRun()).toBe(0);
  }

  test('describes a call, allows it by keyboard after it was seen, and shows all kinds of results', async () => {
    await asksAndAllowsOnEnter();
    await allowsLongCallOnceItsEndWasSeen();
    await showsAllKindsOfResults();
  });

  test('denies a call on Escape but not on typing, with a reason, and ends the answer on request', async () => {
    await typesMessageInsteadOfAnswer();
    await refusesOnEscapeAlone();
    await refusesWithReason();
    await refusesAndStops();
  });
});

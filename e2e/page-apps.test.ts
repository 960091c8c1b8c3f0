import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { FrameLocator, Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { APP_SERVER, GONE_SERVER, NEEDY_SERVER, SILENT_SERVER } from './support/app-server.ts';
import { attackStage } from './support/attack-stage.ts';
import { axeFinds } from './support/axe.ts';
import { openWithServers, storedServer } from './support/browser-servers.ts';
import { callsNamed } from './support/calls-named.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

/** The document of the app: in a frame inside the frame of the page. */
function appIn(page: Page): FrameLocator {
  return page.locator('[data-app] iframe').contentFrame().locator('iframe').contentFrame();
}

/** Presses buttons of the app. A click goes to a place on the screen: it waits until the app has its final size and place. */
function createPresser(page: Page): (name: string) => Promise<void> {
  const place = async (): Promise<string> =>
    JSON.stringify(await page.locator('[data-app] iframe').first().boundingBox());
  return async (name) => {
    let before = '';
    let same = 0;
    await eventually(
      async () => {
        const now = await place();
        same = now === before ? same + 1 : 0;
        before = now;
        return same >= 10;
      },
      { what: 'the app to rest' },
    );
    await appIn(page).getByRole('button', { name, exact: true }).click();
  };
}

/** Higher than what a list keeps rendered around its viewport. */
const LONG = Array.from({ length: 120 }, (_, index) => `Paragraph ${String(index)}.`).join('\n\n');

describePage('MCP Apps', ({ set }) => {
  test('show the result, call tools of their server after approval, and reach nothing else', async () => {
    const asked: string[] = [];
    const stage = await set(
      ({ body }) => {
        const { messages } = body as { messages: { role: string; content: unknown }[] };
        const last = messages.at(-1);
        asked.push(JSON.stringify(messages));
        return last?.role === 'user' && JSON.stringify(last.content).includes('What time')
          ? reply.toolCalls([{ name: 'show_clock', arguments: { zone: 'UTC' } }])
          : reply.text(JSON.stringify(last?.content).includes('long') ? LONG : 'Understood.');
      },
      { servers: { clock: { behaviour: APP_SERVER } }, direct: true },
    );
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('What time is it?');
    await chat.card('Show clock').getByRole('button', { name: 'Allow once' }).click();
    await chat.reads('Understood.');
    const app = appIn(page);
    const reads = (text: string) => app.getByText(text).waitFor();

    await reads('early error: Initialize first');
    await reads('tool {"type":"object","properties":{"zone":{"type":"string"}}}');
    await reads('host light styled');
    await reads('input {"zone":"UTC"}');
    await reads('result noon');
    await reads('page is out of reach');
    await reads('fetch blocked');
    // The model is never offered what only apps may call.
    expect(asked.join()).not.toContain('"tick"');

    const dialog = page.getByRole('dialog');
    const press = createPresser(page);
    await press('Tick');
    await dialog.getByText('Tool: tick').waitFor();
    await dialog.getByText('beat').waitFor();
    // A click that was meant for the app does not allow anything.
    expect(await dialog.getByRole('button', { name: 'Allow once' }).isDisabled()).toBe(true);
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await reads('tick error: The user denied the call.');
    await press('Tick');
    await dialog.getByRole('button', { name: 'More ways to allow' }).click();
    await page.getByRole('menuitem', { name: 'Allow for this chat' }).click();
    await reads('tick {"content":[{"type":"text","text":"{\\"beat\\":3}"}]');
    // What is allowed for the chat is not asked again, a dangerous call is, with the reason.
    await press('Tick');
    await app.getByText('tick {"content"').nth(1).waitFor();
    await press('Danger');
    await dialog.getByText('It removes / and everything in it.').waitFor();
    expect(await dialog.getByRole('button', { name: 'More ways to allow' }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await reads('danger error: The user denied the call.');

    await press('Tools');
    await reads(
      'tools {"tools":[{"name":"show_clock","title":"Show clock","inputSchema":{"type":"object","properties"',
    );
    await press('Other');
    await reads('offers apps no tool "secret"');
    await press('Link');
    await reads('link error: Only http, https and mailto links can be opened.');

    await press('Full');
    await reads('mode fullscreen height,width');
    const inner = await page.evaluate<number>(
      "innerHeight - document.fullscreenElement.querySelector('iframe').clientHeight",
    );
    // The label of the app stays above it.
    expect(inner).toBeGreaterThan(20);
    expect(inner).toBeLessThan(60);
    await press('Danger');
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await app.getByText('danger error: The user denied the call.').nth(1).waitFor();
    await page.getByRole('button', { name: 'Back to the chat' }).click();
    await reads('mode inline maxHeight,width');
    await press('Beside');
    await reads('mode pip height,width');
    await page.getByRole('button', { name: 'Back to the chat' }).click();
    await app.getByText('mode inline maxHeight,width').nth(1).waitFor();
    // The third denial in a row: it is not asked again until the user allows that.
    await press('Danger');
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await page.getByText('You denied several questions of this app.').waitFor();
    await press('Danger');
    await reads('danger error: The user denied several questions');
    expect(await dialog.count()).toBe(0);
    await page.getByRole('button', { name: 'Let it ask again' }).click();

    await press('Context');
    const contexts = page.getByRole('button', { name: 'Remove Context from Show clock' });
    await contexts.waitFor();
    // Restored from the stored call; the context is the same attachment.
    await page.reload();
    await reads('result noon');
    await press('Context');
    await reads('context {}');
    await press('Message');
    await dialog.getByText('Hello from the app').waitFor();
    expect(await contexts.count()).toBe(1);
    await dialog.getByRole('button', { name: 'Send' }).click();
    await eventually(() => asked.some((body) => body.includes('Hello from the app')));
    await chat.waitUntilIdle();
    await chat.send('And now, at length: long?');
    await eventually(() => asked.some((body) => body.includes('The clock shows 12:00.') && body.includes('And now')));
    await chat.reads('Paragraph 119.');
    await chat.waitUntilIdle();
    // The app was used: it keeps its state while it is scrolled far away.
    await chat.messages.press('End');
    await chat.messages.hover();
    await page.mouse.wheel(0, -1_000);
    await eventually(async () => (await page.locator('[data-row]').count()) === 2, {
      what: 'the removal of other rows',
    });
    await chat.messages.press('Home');
    await reads('context {}');
    // What the user removes does not return when the app updates it.
    await press('Context');
    await contexts.click();
    await press('Context');
    await app.getByText('context {}').nth(2).waitFor();
    expect(await contexts.count()).toBe(0);

    await page.emulateMedia({ colorScheme: 'dark' });
    await reads('theme dark');
    // Rows that were out of view take their new colours when they are rendered.
    await expect.poll(() => axeFinds(page)).toEqual([]);

    // The browser reports the request that its policy blocked.
    const unexpected = stage.complaints.splice(0).filter((text) => !text.includes('Content Security Policy'));
    expect(unexpected).toEqual([]);
  });

  test('that declare more than the default are shown after the user allowed it', async () => {
    const stage = await set(
      ({ body }) => {
        const { messages } = body as { messages: { role: string }[] };
        return messages.at(-1)?.role === 'tool'
          ? reply.text('Here it is.')
          : reply.toolCalls([{ name: 'show_map', arguments: {} }]);
      },
      { servers: { needy: { behaviour: NEEDY_SERVER } } },
    );
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('Show me a map');
    await chat.card('show_map').getByRole('button', { name: 'Allow once' }).click();
    await chat.reads('Here it is.');
    const app = page.locator('[data-app]');
    await app.getByText('https://tiles.example').waitFor();
    await app.getByText('Camera').waitFor();
    expect(await app.locator('iframe').count()).toBe(0);
    await app.getByRole('button', { name: 'Allow and show app' }).click();
    await appIn(page).getByText('map is ready').click();
    // The server may declare more when the app is loaded again.
    await app.getByText('The app was closed.').waitFor();
    await app.getByRole('button', { name: 'Try again' }).click();
    await app.getByRole('button', { name: 'Allow and show app' }).waitFor();
    expect(await app.locator('iframe').count()).toBe(0);
  });

  test('that cannot be shown are reported on their card, beside the result', async () => {
    const servers = { gone: { behaviour: GONE_SERVER }, silent: { behaviour: SILENT_SERVER } };
    const stage = await set(callsNamed(), { servers });
    const page = await stage.open();
    await page.clock.install();
    const chat = chatPage(page);
    await chat.send('show_gone');
    await chat.card('show_gone').getByRole('button', { name: 'Allow once' }).click();
    await chat.reads(/It said: .*as text/);
    await chat.card('show_gone').getByText('There is no such resource.').waitFor();
    await chat.card('show_gone').getByRole('button', { name: 'Try again' }).waitFor();
    await chat.waitUntilIdle();
    await chat.send('show_silent');
    await chat.card('show_silent').getByRole('button', { name: 'Allow once' }).click();
    await appIn(page).getByText('Nothing happens.').waitFor();
    await page.clock.fastForward('00:21');
    await chat
      .card('show_silent')
      .getByText(/did not start. The result of the call/)
      .waitFor();
  });

  test('show arguments while the model writes them, and do not reach their server before the call', async () => {
    const written = Promise.withResolvers<void>();
    const stage = await set(
      ({ body }) =>
        (body as { messages: { role: string }[] }).messages.at(-1)?.role === 'tool'
          ? reply.text('Understood.')
          : reply.toolCalls([{ name: 'show_clock', arguments: { zone: 'Pacific/Auckland' } }], {
              pieces: 4,
              hold: { until: written.promise },
            }),
      { servers: { clock: { behaviour: APP_SERVER } } },
    );
    const tool = { serverId: 'clock', name: 'show_clock' };
    // An approval is of the definition that a connected server offers.
    const page = await stage.open();
    await call(stage.server.url, 'PUT', '/api/permissions', { tool, conversationId: null, decision: 'allow' });
    await page.reload();
    await chatPage(page).send('What time is it?');
    const app = appIn(page);
    await app
      .getByText(/^partial \{/)
      .first()
      .waitFor();
    await app.getByRole('button', { name: 'Tick' }).click();
    await app.getByText('tick error: The call of this app has not been made yet.').waitFor();
    expect(await app.getByText(/^input/).count()).toBe(0);
    written.resolve();
    await app.getByText('input {"zone":"Pacific/Auckland"}').waitFor();
    await app.getByText('result noon').waitFor();
    stage.complaints.splice(0);
  });

  test('attack 15: call only permitted tools of their own server, and not in a loop', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-attack-'));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const countFile = join(folder, 'count');
    const stage = await set(...attackStage(countFile));
    const page = await stage.open();
    for (const name of ['attack', 'count']) {
      const tool = { serverId: 'hostile', name };
      await call(stage.server.url, 'PUT', '/api/permissions', { tool, conversationId: null, decision: 'allow' });
    }
    const chat = chatPage(page);
    await chat.send('tools');
    await appIn(page).getByText('tools over').waitFor();
    expect(
      await appIn(page)
        .getByText(/error:/)
        .count(),
    ).toBe(12);
    await chat.waitUntilIdle();
    await chat.send('loop');
    const card = page.locator('[data-app]').nth(1);
    await card.getByText(/sends too many requests to hostile/).waitFor();
    expect(statSync(countFile).size).toBeLessThanOrEqual(120);
    stage.complaints.splice(0);
  });

  test('of a server of the tab ask for each call, and follow what is forbidden', async () => {
    await using peer = await startScriptedMcp(APP_SERVER, { cors: {} });
    const stage = await set(callsNamed());
    const page = await openWithServers(stage, '/', [storedServer('Clock', peer.url)]);
    await eventually(() => expect(peer.answered).toContain('tools/list'), { what: 'the connection to the server' });
    const chat = chatPage(page);
    await chat.send('show_clock');
    await page.getByRole('button', { name: 'Allow once' }).click();
    const app = appIn(page);
    await app.getByText('result noon').waitFor();
    const dialog = page.getByRole('dialog');
    const press = createPresser(page);
    await press('Danger');
    await dialog.getByText('It removes / and everything in it.').waitFor();
    await dialog.getByRole('button', { name: 'Deny', exact: true }).click();
    await press('Tick');
    await dialog.getByRole('button', { name: 'More ways to allow' }).click();
    await page.getByRole('menuitem', { name: 'Allow while the app is open' }).click();
    await app.getByText('tick {"content"').waitFor();
    await press('Tick');
    await app.getByText('tick {"content"').nth(1).waitFor();
    const tool = { serverId: 'browser-clock', name: 'tick', origin: 'tab' };
    await call(stage.server.url, 'PUT', '/api/permissions', { tool, conversationId: null, decision: 'never' });
    await press('Tick');
    await app.getByText(/tick error: .* is set to "never"/).waitFor();
    stage.complaints.splice(0);
  });
});

import type { FrameLocator, Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { APP_SERVER, NEEDY_SERVER } from './support/app-server.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

/** The document of the app: in a frame inside the frame of the page. */
function appIn(page: Page): FrameLocator {
  return page.locator('[data-app] iframe').contentFrame().locator('iframe').contentFrame();
}

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
          : reply.text('Understood.');
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
    await reads('host light styled');
    await reads('input {"zone":"UTC"}');
    await reads('result noon');
    await reads('page is out of reach');
    await reads('fetch blocked');
    // The model is never offered what only apps may call.
    expect(asked.join()).not.toContain('"tick"');

    const dialog = page.getByRole('dialog');
    await app.getByRole('button', { name: 'Tick' }).click();
    await dialog.getByText('Tool: tick').waitFor();
    await dialog.getByText('beat').waitFor();
    await dialog.getByRole('button', { name: 'Deny' }).click();
    await reads('tick error: The user denied the call.');
    await app.getByRole('button', { name: 'Tick' }).click();
    await dialog.getByRole('button', { name: 'Allow once' }).click();
    await reads('tick {"content":[{"type":"text","text":"{\\"beat\\":3}"}]');

    await app.getByRole('button', { name: 'Other' }).click();
    await reads('offers apps no tool "secret"');
    await app.getByRole('button', { name: 'Link' }).click();
    await reads('link error: Only http, https and mailto links can be opened.');

    await app.getByRole('button', { name: 'Flood' }).click();
    for (let left = 3; left > 0; left--) {
      await dialog.getByRole('button', { name: 'Deny' }).click();
    }
    await reads('flood {"rejected":40}');
    await dialog.waitFor({ state: 'detached' });

    await app.getByRole('button', { name: 'Context' }).click();
    await page.getByRole('button', { name: 'Remove Context from Show clock' }).waitFor();
    await app.getByRole('button', { name: 'Message' }).click();
    await dialog.getByText('Hello from the app').waitFor();
    await dialog.getByRole('button', { name: 'Send' }).click();
    await eventually(() => asked.some((body) => body.includes('Hello from the app')));
    await chat.rests();
    await chat.send('And now?');
    await eventually(() => asked.some((body) => body.includes('The clock shows 12:00.') && body.includes('And now?')));
    await chat.rests();

    await page.emulateMedia({ colorScheme: 'dark' });
    await reads('theme dark');
    expect(await axeFinds(page)).toEqual([]);
    // Restored from the stored call.
    await page.reload();
    await appIn(page).getByText('result noon').waitFor();
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
    await appIn(page).getByText('map is ready').waitFor();
  });
});

import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Page as Items, RunRecord, SignedInSession, SignInLink } from '@toolyard/protocol';
import { eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

/** The access token in the data folder of the stage's server. */
function tokenOf({ server }: Stage): string {
  return readFileSync(join(server.dataDir, 'access-token'), 'utf8').trim();
}

async function linkPath(stage: Stage): Promise<string> {
  const link = await call<SignInLink>(stage.server.url, 'POST', '/api/access/links', {}, tokenOf(stage));
  return link.path;
}

/** Ends all sessions, as on another device. */
async function endSessions(stage: Stage): Promise<void> {
  await call(stage.server.url, 'DELETE', '/api/access/sessions', {}, tokenOf(stage));
}

const dialogOf = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

describePage('a server with its access token', (stages) => {
  test('a sign-in link opens the page, leaves no code in the address, and works once', async () => {
    const stage = await stages.set(() => reply.text('Nice.'), { token: true });
    const path = await linkPath(stage);
    const page = await stage.open(path);
    const chat = chatPage(page);
    await chat.composer.waitFor();
    expect(page.url()).toBe(`${stage.line.url}/`);
    await chat.attach({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') });
    await chat.send('What is this?');
    await chat.reads('Nice.');
    const width = () => page.evaluate<number | undefined>('document.querySelector("main img")?.naturalWidth');
    await eventually(async () => (await width()) === 1, { what: 'the image of the message' });
    await page.reload();
    await chat.reads('Nice.');

    const second = await stage.open(path);
    await second.getByText('This sign-in link has expired or was already used.').waitFor();
    expect(await axeFinds(second)).toEqual([]);
    await second.getByLabel('Access token').fill('not-the-access-token');
    await second.getByRole('button', { name: 'Sign in' }).click();
    await second.getByText('This is not the access token of this server.').waitFor();
    await second.getByLabel('Access token').fill(tokenOf(stage));
    await second.getByRole('button', { name: 'Sign in' }).click();
    await chatPage(second).composer.waitFor();
    expect(statSync(join(stage.server.dataDir, 'access-token')).mode & 0o777).toBe(0o600);
  });

  test('a session that ends asks for a sign-in in a dialog: message and answer go on after it', async () => {
    const rest = Promise.withResolvers<void>();
    const text = 'The first half of the answer. The second half of it.';
    const held = { pieces: 8, hold: { until: rest.promise } };
    const stage = await stages.set(() => reply.text(text, held), { token: true });
    const page = await stage.open(await linkPath(stage));
    const chat = chatPage(page);
    await chat.send('Tell me');
    await chat.reads(/The first/);
    await chat.path();
    await chat.composer.fill('And then?');
    await endSessions(stage);
    // Not by keyboard: a request of the page's own may have opened the dialog already, which takes the focus.
    await chat.composer.dispatchEvent('keydown', { key: 'Enter' });
    const dialog = dialogOf(page);
    await dialog.waitFor();
    expect(await axeFinds(page, { within: 'dialog' })).toEqual([]);
    rest.resolve();
    await dialog.getByLabel('Access token').fill(tokenOf(stage));
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await chat.reads(/second half of it/);
    await chat.reads('And then?');
  });

  test('a run of the tab goes on after the sign-in, and makes its call once', async () => {
    await using peer = await startScriptedMcp(
      { tools: [{ name: 'jot', does: [{ do: 'text', text: 'jotted' }] }] },
      { cors: {} },
    );
    const stage = await stages.set(
      ({ body }) => {
        const { messages } = body as { messages: { role: string }[] };
        if (messages.at(-1)?.role === 'tool') return reply.text('It is written down.');
        return reply.toolCalls([{ name: 'jot', arguments: {} }]);
      },
      { token: true },
    );
    const page = await stage.open(await linkPath(stage));
    await chatPage(page).composer.waitFor();
    await page.evaluate((url) => {
      const server = { id: 'browser-notes', name: 'Notes', transport: 'http', url };
      localStorage.setItem('toolyard:mcp-servers:1', JSON.stringify([server]));
      localStorage.setItem('toolyard:run-place:1', '"tab"');
    }, peer.url);
    await page.reload();
    await page.getByLabel('Where the answers are made').waitFor();
    await chatPage(page).send('Write it down');
    const allow = page.getByRole('button', { name: 'Allow once' }).first();
    await allow.waitFor();
    await endSessions(stage);
    // Not by pointer: a request of the page's own may have opened the dialog already. The count makes it a click of a pointer:
    // a new card ignores keys.
    await allow.dispatchEvent('click', { detail: 1 });
    await dialogOf(page).getByLabel('Access token').fill(tokenOf(stage));
    await dialogOf(page).getByRole('button', { name: 'Sign in' }).click();
    await chatPage(page).reads('It is written down.');
    await chatPage(page).rests();
    expect(peer.received.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    const { items } = await call<Items<RunRecord>>(stage.server.url, 'GET', '/api/runs', undefined, tokenOf(stage));
    expect(items).toMatchObject([{ place: 'browser', status: 'done' }]);
    // A browser complains of the probes that find out what a server speaks.
    stage.complaints.splice(0, Infinity, ...stage.complaints.filter((text) => !/CORS policy/.test(text)));
  });

  test('settings: a QR code for another device, sessions, and API keys', async () => {
    const stage = await stages.set(() => reply.text('Hello.'), { token: true, args: ['--host', '0.0.0.0'] });
    const phone = await stage.open(await linkPath(stage));
    await chatPage(phone).composer.waitFor();
    const page = await stage.open(await linkPath(stage));
    await chatPage(page).composer.waitFor();
    await page.goto(`${stage.line.url}/settings/access`);
    await page.getByRole('button', { name: 'Create a link' }).click();
    await page.getByRole('button', { name: 'Create another link' }).waitFor();
    await page.getByText('This browser', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Sign out Chrome/ }).count()).toBe(1);

    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Build server');
    await page.getByRole('checkbox', { name: /^approve/ }).check();
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByRole('status').locator('code').innerText();
    expect(key).toMatch(/^tyk_/);
    await page.getByText(/read, write, approve/).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await call(stage.server.url, 'GET', '/api/conversations', undefined, key);
    await page.getByRole('button', { name: 'Revoke the key Build server' }).click();
    await page.getByText('There are no API keys.').waitFor();
    await expect(call(stage.server.url, 'GET', '/api/conversations', undefined, key)).rejects.toThrow('401');

    await page.getByRole('button', { name: 'Sign out all other browsers' }).click();
    await page.getByRole('button', { name: 'Sign out all other browsers' }).waitFor({ state: 'detached' });
    await chatPage(phone).send('Hello?');
    await dialogOf(phone).waitFor();
    await page.getByRole('button', { name: 'Sign out this browser' }).click();
    await page.getByRole('heading', { name: 'Sign in to Toolyard' }).waitFor();
    const { items } = await call<Items<SignedInSession>>(
      stage.server.url,
      'GET',
      '/api/access/sessions',
      undefined,
      tokenOf(stage),
    );
    expect(items).toEqual([]);
  });
});

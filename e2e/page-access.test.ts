import { statSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { Page as Items, RunRecord, SignedInSession, SignInLink } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply, startScriptedMcp } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { readAccessToken } from './support/stage.ts';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const readToken = ({ server }: Stage): string => readAccessToken(server);

async function linkPath(stage: Stage): Promise<string> {
  const link = await call<SignInLink>(stage.server.url, 'POST', '/api/access/links', {}, readToken(stage));
  return link.path;
}

/** Ends all sessions, as another device can. */
async function endSessions(stage: Stage): Promise<void> {
  await call(stage.server.url, 'DELETE', '/api/access/sessions', {}, readToken(stage));
}

const getDialog = (page: Page) => page.getByRole('dialog', { name: 'Your session has ended' });

/** One answer that is held in the middle, one with a call of the tab's tool; all others are short. */
function script(rest: Promise<void>): ModelScript {
  return ({ body }) => {
    const { messages } = body as { messages: { role: string; content: unknown }[] };
    const last = messages.at(-1);
    if (last?.role === 'tool') return reply.text('It is written down.');
    const content = JSON.stringify(last?.content);
    if (content.includes('Write it down')) return reply.toolCalls([{ name: 'jot', arguments: {} }]);
    if (!content.includes('Tell me')) return reply.text('Nice.');
    return reply.text('The first half of the answer. The second half of it.', { pieces: 8, hold: { until: rest } });
  };
}

describePage('a server with its access token', (stages) => {
  test('sign-in links, sessions that end during a run, other devices and API keys', async () => {
    await using peer = await startScriptedMcp(
      { tools: [{ name: 'jot', does: [{ do: 'text', text: 'jotted' }] }] },
      { cors: {} },
    );
    const rest = Promise.withResolvers<void>();
    const stage = await stages.set(script(rest.promise), { signIn: 'by hand', args: ['--host', '0.0.0.0'] });
    const link = await linkPath(stage);
    const phone = await stage.open(link);
    await chatBySignInLink(phone, stage);
    await signInAgainDuringAnswer(phone, stage, () => rest.resolve());
    const page = await openWithTabServer(stage, link, peer.url);
    await signInByToken(page, stage);
    await createAndRevokeKey(page, stage);
    await signOutOthers(page, phone);
    await signInAgainDuringTabRun(page, stage);
    expect(peer.received.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    await signOut(page, stage);
    // The browser reports the probes that find out which transport a server has.
    stage.complaints.splice(0, Infinity, ...stage.complaints.filter((text) => !/CORS policy/.test(text)));
  });

  test("the operator's theme and language apply at once after signing in with the access token", async () => {
    const settings = JSON.stringify({ theme: 'dark', language: 'zh-Hant' });
    const stage = await stages.set(() => reply.text('Unused.'), {
      signIn: 'by hand',
      args: ['--ui-config', settings],
    });
    const page = await stage.open();
    await page.getByLabel('Access token').fill(readToken(stage));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('html[lang=zh-Hant][data-theme=dark]').waitFor();
    await page.getByRole('link', { name: '新對話' }).first().waitFor();
  });

  /** No code stays in the address; the session lasts beyond the load of the page, also for images. */
  async function chatBySignInLink(page: Page, stage: Stage): Promise<void> {
    const chat = chatPage(page);
    await chat.composer.waitFor();
    expect(page.url()).toBe(`${stage.line.url}/`);
    await chat.attach({ name: 'dot.png', mimeType: 'image/png', buffer: Buffer.from(PIXEL, 'base64') });
    await chat.send('What is this?');
    await chat.reads('Nice.');
    const width = () => page.evaluate<number | undefined>('document.querySelector("main img")?.naturalWidth');
    await eventually(async () => (await width()) === 1, { what: 'the image of the message' });
    await chat.path();
    await page.reload();
    await chat.reads('Nice.');
    expect(statSync(join(stage.server.dataDir, 'access-token')).mode & 0o777).toBe(0o600);
  }

  /** A dialog asks for the sign-in: the message and the answer continue after it. */
  async function signInAgainDuringAnswer(page: Page, stage: Stage, resume: () => void): Promise<void> {
    const chat = chatPage(page);
    await chat.send('Tell me');
    await chat.reads(/The first/);
    await chat.composer.fill('And then?');
    await endSessions(stage);
    // Not by keyboard: a request of the page may have opened the dialog already, which takes the focus.
    await chat.composer.dispatchEvent('keydown', { key: 'Enter' });
    const dialog = getDialog(page);
    await dialog.waitFor();
    expect(await axeFinds(page, { within: 'dialog' })).toEqual([]);
    resume();
    await dialog.getByLabel('Access token').fill(readToken(stage));
    await dialog.getByRole('button', { name: 'Sign in' }).click();
    await dialog.waitFor({ state: 'detached' });
    await chat.reads(/second half of it/);
    await chat.reads('And then?');
    await chat.waitUntilIdle();
  }

  /** Another browser, with an MCP server of its own and runs in the tab. */
  function openWithTabServer(stage: Stage, path: string, url: string): Promise<Page> {
    const server = { id: 'browser-notes', name: 'Notes', transport: 'http', url };
    const localStorage = [
      { name: 'toolyard:mcp-servers:1', value: JSON.stringify([server]) },
      { name: 'toolyard:run-place:1', value: '"tab"' },
    ];
    return stage.open(path, { storageState: { cookies: [], origins: [{ origin: stage.line.url, localStorage }] } });
  }

  /** The link was used: only the token remains. */
  async function signInByToken(page: Page, stage: Stage): Promise<void> {
    await page.getByText('This sign-in link has expired or was already used.').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.getByLabel('Access token').fill('not-the-access-token');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByText('Wrong access token.').waitFor();
    await page.getByLabel('Access token').fill(readToken(stage));
    await page.getByRole('button', { name: 'Sign in' }).click();
    await chatPage(page).composer.waitFor();
  }

  async function createAndRevokeKey(page: Page, stage: Stage): Promise<void> {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByRole('button', { name: 'Create link' }).click();
    await page.getByRole('button', { name: 'Create another link' }).waitFor();
    // The focus goes to the first field of the form, and back to the button once it is closed.
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByRole('button', { name: 'Cancel' }).press('Enter');
    await page.keyboard.press('Enter');
    await page.getByLabel('Name').waitFor();
    await page.keyboard.insertText('Build server');
    await page.getByRole('checkbox', { name: /^approve/ }).check();
    await page.getByRole('button', { name: 'Create key' }).click();
    const key = await page.getByRole('status').locator('code').innerText();
    expect(key).toMatch(/^tyk_/);
    await page.getByText(/read, write, approve/).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await call(stage.server.url, 'GET', '/api/conversations', undefined, key);
    await page.getByRole('button', { name: 'Revoke key Build server' }).click();
    await page.getByText('No API keys yet.').waitFor();
    await expect(call(stage.server.url, 'GET', '/api/conversations', undefined, key)).rejects.toThrow('401');
  }

  async function signOutOthers(page: Page, other: Page): Promise<void> {
    await page.getByText('This browser', { exact: true }).waitFor();
    expect(await page.getByRole('button', { name: /^Sign out Chrome/ }).count()).toBe(1);
    await page.getByRole('button', { name: 'Sign out all other browsers' }).click();
    await page.getByRole('button', { name: 'Sign out all other browsers' }).waitFor({ state: 'detached' });
    await chatPage(other).send('Hello?');
    await getDialog(other).waitFor();
  }

  /** A run of the tab continues after the sign-in. */
  async function signInAgainDuringTabRun(page: Page, stage: Stage): Promise<void> {
    await chatPage(page).anew();
    await page.getByLabel('Run answers').waitFor();
    await chatPage(page).send('Write it down');
    const allow = page.getByRole('button', { name: 'Allow once' }).first();
    await allow.waitFor();
    await endSessions(stage);
    // Not by pointer: a request of the page may have opened the dialog already. `detail` makes it a pointer click: a
    // new card ignores keys.
    await allow.dispatchEvent('click', { detail: 1 });
    await getDialog(page).getByLabel('Access token').fill(readToken(stage));
    await getDialog(page).getByRole('button', { name: 'Sign in' }).click();
    await chatPage(page).reads('It is written down.');
    await chatPage(page).waitUntilIdle();
    const { items } = await call<Items<RunRecord>>(stage.server.url, 'GET', '/api/runs', undefined, readToken(stage));
    expect(items.filter(({ place }) => place === 'browser')).toMatchObject([{ status: 'done' }]);
  }

  async function signOut(page: Page, stage: Stage): Promise<void> {
    await page.getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('link', { name: 'Access', exact: true }).click();
    await page.getByRole('button', { name: 'Sign out this browser' }).click();
    await page.getByRole('heading', { name: 'Sign in to Toolyard' }).waitFor();
    const sessions = '/api/access/sessions';
    const left = await call<Items<SignedInSession>>(stage.server.url, 'GET', sessions, undefined, readToken(stage));
    expect(left.items).toEqual([]);
  }
});

import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { AuthorizationServer, HostedService, ModelScript } from '@toolyard/testing';
import { reply, startAuthorizationServer, startHostedService, startScriptedMcp } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { openNewServerForm, row, serversPage } from './support/servers-page.ts';
import { signInFromTab } from './support/tab-sign-in.ts';

/** Reads the mail and answers with its result. */
const readsMail: ModelScript = ({ body }) => {
  const last = (body as { messages: { role: string; content: unknown }[] }).messages.at(-1);
  if (last?.role !== 'tool') return reply.toolCalls([{ name: 'read_mail', arguments: {} }]);
  return reply.text(`It said: ${JSON.stringify(last.content)}`);
};

describePage('signing in', (stages) => {
  test('to remote and hosted servers in another tab or by a link; signing out; from the card of a call, executed once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-mail-'));
    const countFile = join(folder, 'count');
    await using authorization = await startAuthorizationServer({ expiresIn: 3_600 });
    await using mail = await startScriptedMcp(
      { tools: [{ name: 'read_mail', does: [{ do: 'count' }] }] },
      { sessions: false, protection: authorization.protect(), countFile },
    );
    await using service = await startHostedService({ behaviour: { tools: [{ name: 'send' }] }, needsSignIn: true });
    const servers = serversPage(await stages.set(readsMail));
    await servers.writeApproved({ mailbox: { url: mail.url } });
    const page = await servers.openList();
    await signInByLink(page, authorization);
    await signOut(page, authorization);
    await signInInAnotherTab(page, authorization);
    await fillInHosted(page);
    // The form offers the public service only; the URL of another one is written to the file.
    const hosted = { service: 'klavis', server: 'Gmail', apiKey: 'key-of-the-test', url: service.url };
    await servers.writeApproved({ mailbox: { url: mail.url }, letters: { hosted } }, ['letters']);
    await connectHosted(page, service);
    await signInFromCard(page, authorization, countFile);
    rmSync(folder, { recursive: true });
  });

  /** The browser opens no tab by itself. */
  async function signInByLink(page: Page, authorization: AuthorizationServer): Promise<void> {
    const mailbox = row(page, 'mailbox');
    await mailbox.getByText('Sign in to use this server').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.evaluate('window.openTab = window.open; window.open = () => null');
    await mailbox.getByRole('button', { name: 'Sign in' }).click();
    await mailbox.getByText('The browser blocked the new tab.').waitFor();
    const link = mailbox.getByRole('link', { name: `Open ${new URL(authorization.url).host}` });
    expect(await link.getAttribute('href')).toContain(`${authorization.url}/authorize?`);
    expect(await link.getAttribute('rel')).toBe('noopener');
    await page.evaluate('window.open = window.openTab');
    await link.click();
    await mailbox.getByText(/Ready 1 tool/).waitFor();
  }

  async function signOut(page: Page, authorization: AuthorizationServer): Promise<void> {
    await page.getByRole('link', { name: /mailbox/ }).click();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByText(`signed in at ${authorization.url}`).waitFor();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('Sign in to use this server').waitFor();
  }

  async function signInInAnotherTab(page: Page, authorization: AuthorizationServer): Promise<void> {
    const opened = page.context().waitForEvent('page');
    await page.getByRole('button', { name: 'Sign in' }).click();
    const tab = await opened;
    await page.getByText(`signed in at ${authorization.url}`).waitFor();
    // The tab closes itself, possibly before it answers.
    expect(await tab.evaluate<unknown>('window.opener').catch(() => null)).toBeNull();
    expect(authorization.grants('authorization_code')).toHaveLength(2);
    await page.getByRole('link', { name: 'Tools', exact: true }).click();
    await row(page, 'mailbox')
      .getByText(/Ready 1 tool/)
      .waitFor();
  }

  async function fillInHosted(page: Page): Promise<void> {
    const form = await openNewServerForm(page);
    await form.getByText('Hosted', { exact: true }).click();
    await form.getByLabel('Name', { exact: true }).fill('letters');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Enter the server name.').waitFor();
    await form.getByLabel('Klavis server name').fill('Gmail');
    await form.getByLabel('Klavis API key').fill('key-of-the-test');
    expect(await axeFinds(page, { within: 'dialog' })).toEqual([]);
    await form.getByRole('button', { name: 'Cancel' }).click();
  }

  /** The user signs in at the service: no button here leads to it. */
  async function connectHosted(page: Page, service: HostedService): Promise<void> {
    const letters = row(page, 'letters');
    await letters
      .getByText(/sign in/i)
      .first()
      .waitFor();
    expect(await letters.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    service.signIn();
    await letters.getByRole('button', { name: 'Reconnect' }).click();
    await letters.getByText(/Ready 1 tool/).waitFor();
  }

  async function signInFromCard(page: Page, authorization: AuthorizationServer, countFile: string): Promise<void> {
    const chat = chatPage(page);
    await chat.anew();
    await chat.send('Any mail?');
    const card = page.locator('[data-tool-card]');
    await card.getByRole('button', { name: 'Allow once' }).waitFor();
    authorization.revoke();
    await card.getByRole('button', { name: 'Allow once' }).click();
    await card.getByText('asks you to sign in').waitFor();
    expect(await axeFinds(page, { within: '[data-tool-card]' })).toEqual([]);
    expect(existsSync(countFile)).toBe(false);
    const opened = page.context().waitForEvent('page');
    await card.getByRole('button', { name: 'Sign in…' }).click();
    await opened;
    await chat.reads(/It said: "1"/);
    expect(statSync(countFile).size).toBe(1);
    expect(authorization.grants('authorization_code')).toHaveLength(3);
  }

  test('to a server of this browser only: the sign-in lasts as long as the tab', () => signInFromTab(stages, false));
});

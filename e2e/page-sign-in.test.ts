import { existsSync, mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ModelScript } from '@toolyard/testing';
import { reply, startAuthorizationServer, startHostedService, startScriptedMcp } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { beginNew, row, serversPage } from './support/servers-page.ts';

/** Reads the mail, and then says what came of it. */
const readsMail: ModelScript = ({ body }) => {
  const last = (body as { messages: { role: string; content: unknown }[] }).messages.at(-1);
  if (last?.role !== 'tool') return reply.toolCalls([{ name: 'read_mail', arguments: {} }]);
  return reply.text(`It said: ${JSON.stringify(last.content)}`);
};

describePage('signing in', (stages) => {
  test('in the middle of a run: the card leads to the sign-in, and the call is made once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'toolyard-mail-'));
    const countFile = join(folder, 'count');
    await using authorization = await startAuthorizationServer({ expiresIn: 3_600 });
    await using mail = await startScriptedMcp(
      { tools: [{ name: 'read_mail', does: [{ do: 'count' }] }] },
      { sessions: false, protection: authorization.protect(), countFile },
    );
    const stage = await stages.set(readsMail);
    const servers = serversPage(stage);
    servers.write({ mail: { url: mail.url } });
    const page = await servers.openList();
    await row(page, 'mail').getByRole('button', { name: 'Sign in' }).click();
    await row(page, 'mail').getByText(/Ready/).waitFor();

    await page.goto(stage.line.url);
    const chat = chatPage(page);
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
    expect(authorization.grants('authorization_code')).toHaveLength(2);
    rmSync(folder, { recursive: true });
  });

  test('to one that a service makes: what the form adds says where, and is there once that was done', async () => {
    await using service = await startHostedService({ behaviour: { tools: [{ name: 'send' }] }, needsSignIn: true });
    const stage = await stages.set(readsMail);
    const servers = serversPage(stage);
    const page = await servers.openList();
    const form = await beginNew(page);
    await form.getByText('A service', { exact: true }).click();
    await form.getByLabel('Name', { exact: true }).fill('mail');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Write which server.').waitFor();
    await form.getByLabel('Server, as Klavis calls it').fill('Gmail');
    await form.getByLabel('Your key of Klavis').fill('key-of-the-test');
    expect(await axeFinds(page, { within: 'dialog' })).toEqual([]);
    await form.getByRole('button', { name: 'Cancel' }).click();

    // The form knows the public service only; another one stands in the file.
    const hosted = { service: 'klavis', server: 'Gmail', apiKey: 'key-of-the-test', url: service.url };
    servers.write({ mail: { hosted } });
    const mail = row(page, 'mail');
    await mail
      .getByText(/sign in/i)
      .first()
      .waitFor();
    expect(await mail.getByRole('button', { name: 'Sign in' }).count()).toBe(0);
    service.signIn();
    await mail.getByRole('button', { name: 'Reconnect' }).click();
    await mail.getByText(/Ready · 1 tool/).waitFor();
  });

  test.each([
    ['directly', false],
    ['by way of the proxy', true],
  ])('to a server of this browser only, %s: the tab finishes it, and keeps it', async (_how, useProxy) => {
    const letIn = useProxy ? {} : { cors: {} };
    await using authorization = await startAuthorizationServer({ expiresIn: 3_600, ...letIn });
    const protection = authorization.protect();
    const tools = [{ name: 'read_mail' }];
    await using mail = await startScriptedMcp({ tools }, { sessions: false, protection, ...letIn });
    const origins = [mail.url, authorization.url].flatMap((url) => ['--proxy-allow', new URL(url).origin]);
    const stage = await stages.set(readsMail, { args: ['--ui-mcp-proxy', ...origins] });
    const page = await stage.open('/settings/tools');
    const form = await beginNew(page);
    await form.getByText('An address', { exact: true }).click();
    await form.getByLabel('Name', { exact: true }).fill('My mail');
    await form.getByLabel('Address', { exact: true }).fill(mail.url);
    await form.getByRole('radio', { name: /This browser only/ }).check();
    if (useProxy) await form.getByRole('checkbox', { name: 'Reach it through Toolyard' }).check();
    await form.getByRole('button', { name: 'Save' }).click();
    const mine = row(page, 'My mail');
    await mine.getByText('This server wants you to sign in').waitFor();

    const opened = page.context().waitForEvent('page');
    await mine.getByRole('button', { name: 'Sign in' }).click();
    const back = await opened;
    await mine.getByText(/Ready · 1 tool/).waitFor();
    // It closes itself, maybe while it is asked.
    expect(await back.title().catch(() => 'Toolyard')).toContain('Toolyard');
    expect(authorization.grants('authorization_code')).toHaveLength(1);

    // The session of the tab has it, and nothing that outlasts it.
    await page.reload();
    await mine.getByText(/Ready · 1 tool/).waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/access-|refresh-/);
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toMatch(/access-/);

    await page.getByRole('link', { name: /My mail/ }).click();
    await page.getByRole('tab', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByText('This server wants you to sign in').waitFor();
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/access-|refresh-/);
  });
});

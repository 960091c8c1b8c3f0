import { expect } from 'vitest';
import { reply, startAuthorizationServer, startScriptedMcp } from '@toolyard/testing';
import type { Stages } from './page-stage.ts';
import { openNewServerForm, row } from './servers-page.ts';

/** Adds a protected server that only this browser has, signs in to it, reloads the page and signs out. */
export async function signInFromTab(stages: Stages, useProxy: boolean): Promise<void> {
  const cors = useProxy ? {} : { cors: {} };
  await using authorization = await startAuthorizationServer({ expiresIn: 3_600, ...cors });
  const protection = authorization.protect();
  const tools = [{ name: 'read_mail' }];
  await using mail = await startScriptedMcp({ tools }, { sessions: false, protection, ...cors });
  const origins = [mail.url, authorization.url].flatMap((url) => ['--proxy-allow', new URL(url).origin]);
  const stage = await stages.set(() => reply.text('Understood.'), { args: ['--ui-mcp-proxy', ...origins] });
  const page = await stage.open('/settings/tools');
  const form = await openNewServerForm(page);
  await form.getByText('Remote URL', { exact: true }).click();
  await form.getByLabel('Name', { exact: true }).fill('My mail');
  await form.getByLabel('URL', { exact: true }).fill(mail.url);
  await form.getByRole('radio', { name: /This browser only/ }).check();
  if (useProxy) await form.getByRole('checkbox', { name: 'Connect through Toolyard' }).check();
  await form.getByRole('button', { name: 'Save' }).click();
  const mine = row(page, 'My mail');
  await mine.getByText('Sign in to use this server').waitFor();

  const opened = page.context().waitForEvent('page');
  await mine.getByRole('button', { name: 'Sign in' }).click();
  const back = await opened;
  await mine.getByText(/Ready 1 tool/).waitFor();
  // The tab closes itself, possibly before it answers.
  expect(await back.title().catch(() => 'Toolyard')).toContain('Toolyard');
  expect(authorization.grants('authorization_code')).toHaveLength(1);

  // The tokens are in the session of the tab, and in no storage that outlasts it.
  await page.reload();
  await mine.getByText(/Ready 1 tool/).waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...localStorage }))).not.toMatch(/access-|refresh-/);
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).toMatch(/access-/);

  await page.getByRole('link', { name: /My mail/ }).click();
  await page.getByRole('tab', { name: 'About' }).click();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('Sign in to use this server').waitFor();
  expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage }))).not.toMatch(/access-|refresh-/);
}

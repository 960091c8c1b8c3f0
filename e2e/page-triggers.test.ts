import { createHmac } from 'node:crypto';
import { reply } from '@toolyard/testing';
import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { describePage } from './support/page-stage.ts';

describePage('what starts runs, in the settings', (stages) => {
  test('an API key with limits, and an incoming webhook that starts a run', async () => {
    const { server, open } = await stages.set(() => reply.text('It is a bug.'));
    await call(server.url, 'POST', '/api/agents', { id: 'clerk', title: 'Clerk' });
    const page = await open('/settings/access', { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });

    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByLabel('Name').fill('Home');
    await page.getByLabel('Limit this key').check();
    await page.getByLabel('Clerk').check();
    await page.getByLabel('Tools').fill('files/*');
    await page.getByLabel('Runs per day').fill('many');
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('Enter a number above 0').waitFor();
    await page.getByLabel('Runs per day').fill('5');
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create key' }).click();
    await page.getByText('It is not shown again').waitFor();
    const key = page.getByRole('listitem').filter({ hasText: 'Home' }).last();
    for (const fact of ['Agents: Clerk', 'Tools: files/*', 'Runs per day: 5']) await key.getByText(fact).waitFor();

    const { url, secret } = await addWebhook(page);
    const body = JSON.stringify({ issue: { title: 'It breaks' } });
    const signature = `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
    const headers = { 'content-type': 'application/json', 'x-hub-signature-256': signature };
    expect((await fetch(`${server.url}${new URL(url).pathname}`, { method: 'POST', headers, body })).status).toBe(202);

    await page.getByText('Task, test and deliveries').click();
    await page.getByText('Run started').waitFor();
    await page.getByLabel('Test data (JSON)').fill('{"issue":');
    await page.getByText('This is not valid JSON.').waitFor();
    await page.getByLabel('Test data (JSON)').fill('{"issue":{"title":"Tried"}}');
    await page.getByRole('button', { name: 'Show message' }).click();
    await page.getByRole('status').filter({ hasText: 'Tried' }).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    expect(await page.evaluate<number>('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.getByRole('switch', { name: 'Accept deliveries to Issues' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'Open chat' }).first().click();
    await page.getByText('It is a bug.').first().waitFor();
  });

  async function addWebhook(page: Page): Promise<{ url: string; secret: string }> {
    await page.getByRole('button', { name: 'Add incoming webhook' }).click();
    const form = page.locator('form').last();
    await form.getByLabel('Name').fill('Issues');
    await form.getByLabel('Task', { exact: true }).fill('Sort {{issue.title}} {{');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    await form.getByText(/without its counterpart/).waitFor();
    await form.getByLabel('Task', { exact: true }).fill('Sort {{issue.title}}');
    await form.getByRole('button', { name: 'Add', exact: true }).click();
    const shown = page.getByRole('status').filter({ hasText: 'Enter URL and secret' });
    await shown.waitFor();
    const [url = '', secret = ''] = await shown.locator('code').allTextContents();
    await shown.getByRole('button', { name: 'Done' }).click();
    return { url, secret };
  }
});

import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ScheduleView } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { SMALL_WINDOW } from './support/shared-page.ts';

const byModel = { title: 'Water the plants', task: 'Remind me', every_seconds: 86_400 };

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

describePage('schedules', (stages) => {
  test('are created with their next times, tried out, run and paused', async () => {
    const stage = await stages.set(() => reply.text('The report.'));
    const { url } = stage.server;
    const stored = async (): Promise<ScheduleView | undefined> =>
      (await call<{ items: ScheduleView[] }>(url, 'GET', '/api/schedules')).items[0];
    const page = await stage.open('/settings/schedules', SMALL_WINDOW);
    await page.getByText('No schedules yet').waitFor();
    await page.getByRole('link', { name: 'Create schedule' }).click();

    await button(page, 'Create schedule').click();
    expect(await page.getByText('Enter a text.').count()).toBe(2);
    await page.getByRole('textbox', { name: 'Title' }).fill('Morning report');
    await page.getByRole('textbox', { name: 'Message' }).fill('Write the report');
    await page.getByText('At 09:00, Monday through Friday').waitFor();
    const cron = page.getByRole('combobox', { name: 'Cron expression' });
    await cron.fill('61 * * * *');
    await page.getByText(/"61 \* \* \* \*" is invalid/).waitFor();
    await cron.fill('0 8 1 1 *');
    await page.getByText('At 08:00, on day 1 of the month, only in January').waitFor();
    await eventually(async () => (await page.locator('ol time').count()) === 5);
    expect(await axeFinds(page)).toEqual([]);

    await button(page, 'Dry run').click();
    const dry = page.getByRole('dialog', { name: 'Dry run' });
    await dry.getByText(/tools? runs? without approval/).waitFor();
    await dry.getByText('Write the report').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.keyboard.press('Escape');
    expect(stage.model.requests.filter(({ method }) => method === 'POST')).toEqual([]);
    expect(await stored()).toBeUndefined();

    await button(page, 'Create schedule').click();
    await button(page, 'Run now').click();
    const history = page.getByRole('region', { name: 'History' });
    await history.getByText('Completed').waitFor();
    await button(page, 'Pause').click();
    await page.getByText('Paused', { exact: true }).waitFor();
    expect(await stored()).toMatchObject({ enabled: false, timing: { expression: '0 8 1 1 *' } });

    await page.getByRole('link', { name: 'All schedules' }).click();
    await page.getByText('Last: Completed').waitFor();
    await page.getByRole('switch', { name: /Morning report/ }).click();
    await eventually(async () => (await stored())?.enabled === true);
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('link', { name: /Morning report.*At 08:00/ }).click();
    await history.getByRole('link', { name: 'Open chat' }).click();
    await page.getByText('The report.').waitFor();
  });

  test('of a model need approval, start paused, and name their chat', async () => {
    const stage = await stages.set(({ body }) => {
      const { messages } = body as { messages: { role: string }[] };
      return messages.at(-1)?.role === 'tool'
        ? reply.text('It waits for you.')
        : reply.toolCalls([{ name: 'create_schedule', arguments: byModel }]);
    });
    const { url } = stage.server;
    const configuration = { servers: { schedules: true } };
    const { id } = await call<{ id: string }>(url, 'POST', '/api/conversations', { title: 'Garden', configuration });
    const page = await stage.open(`/c/${id}`, SMALL_WINDOW);
    await chatPage(page).send('Remind me every day');
    await button(page, 'Allow once').click();
    await page.getByText('It waits for you.').waitFor();
    await page.goto(`${new URL(page.url()).origin}/settings/schedules`);
    await page.getByText('Created by a model').waitFor();
    await page.getByRole('link', { name: /Water the plants/ }).click();
    await page.getByRole('link', { name: 'In the chat “Garden”' }).waitFor();
    await page.getByText('Check its message and its times before you resume it.').waitFor();
    await button(page, 'Resume').click();
    await page.getByText(/^Next: /).waitFor();
  });
});

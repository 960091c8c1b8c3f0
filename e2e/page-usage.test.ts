import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

const usage = { prompt_tokens: 15, completion_tokens: 10, total_tokens: 25 };

/** Calls the tool get-date once and then answers. */
const looksThenSays: ModelScript = ({ body }) => {
  const { messages } = body as { messages: { role: string }[] };
  if (messages.at(-1)?.role === 'tool') return reply.text('It is late.', { usage });
  return reply.toolCalls([{ name: 'get-date', arguments: {} }], { usage });
};

describePage('usage in the page', (stages) => {
  const setBudgets = (budgets: object[]): Promise<unknown> =>
    call(stages.now.server.url, 'PUT', '/api/settings/defaults', { budgets });

  /** The conversation grows by 25 tokens with each request to the model. */
  async function asksUsedUpBudget(page: Page): Promise<void> {
    await setBudgets([{ of: 'conversation', tokens: 20 }]);
    await chatPage(page).anew();
    await chatPage(page).send('What time is it?');
    const card = page.getByRole('group', { name: 'Budget used up' });
    await card.getByText('This chat: 25 tokens of 20 tokens.').waitFor();
    expect(await axeFinds(page, { within: 'main' })).toEqual([]);

    // A limit that is already used up is not sent.
    const limit = card.getByRole('textbox', { name: 'New limit (tokens)' });
    await limit.fill('25');
    await card.getByRole('button', { name: 'Raise and continue' }).click();
    await card.getByText('Enter a number above 25 tokens.').waitFor();
    await chatPage(page).path();
    await page.reload();
    await card.waitFor();
    await limit.fill('200');
    await limit.press('Enter');
    await page.getByText('It is late.').waitFor();
    await card.waitFor({ state: 'detached' });

    // The meter of the chat, and the field of the budget.
    await page.getByRole('button', { name: /instructions and parameters/i }).click();
    await page.getByText('This chat: 50 tokens of 20 tokens').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.keyboard.press('Escape');
  }

  async function stopsAtUsedUpBudget(page: Page): Promise<void> {
    await setBudgets([{ of: 'run', calls: 1 }]);
    await chatPage(page).anew();
    await chatPage(page).send('What time is it?');
    // By the keyboard: a card that has just appeared may still move with the end of the list.
    await page.getByRole('button', { name: 'Stop here' }).press('Enter');
    const reason = page.getByText('The budget of this run is used up: 1 call of 1 call.');
    await reason.waitFor();
    await chatPage(page).path();
    await page.reload();
    await reason.waitFor();
    expect(await reason.count()).toBe(1);
  }

  async function setsBudgetsInSettings(page: Page): Promise<void> {
    const stored = async (): Promise<unknown> => {
      const settings = await call<{ defaults: { budgets?: unknown } }>(stages.now.server.url, 'GET', '/api/settings');
      return settings.defaults.budgets ?? null;
    };
    await page.getByRole('button', { name: 'Add budget' }).click();
    await page.getByText('Enter at least one limit.').waitFor();
    await page.getByRole('combobox', { name: 'Budget for' }).selectOption({ label: 'Everything, per day' });
    await page.getByRole('textbox', { name: 'US dollars' }).fill('0');
    await page.getByText('Enter a number above zero.').waitFor();
    expect(await stored()).toBeNull();
    await page.getByRole('textbox', { name: 'US dollars' }).fill('2.5');
    await page.getByText('Saved', { exact: true }).waitFor();
    expect(await stored()).toEqual([{ of: 'day', dollars: 2.5 }]);
    await page.getByRole('button', { name: 'Remove budget' }).click();
    await expect.poll(stored).toBeNull();
  }

  /** A server with two tools: a table of one line has nothing to sort. */
  async function sortsTable(page: Page): Promise<void> {
    const table = page.getByRole('table', { name: /Computing/ });
    const opener = page.getByText('Computing', { exact: true });
    await opener.waitFor();
    if (!(await table.isVisible())) await opener.click();
    const tools = (): Promise<string[]> => table.getByRole('rowheader').allInnerTexts();
    const sort = table.getByRole('button', { name: 'Sort by Tool' });
    await sort.press('Enter');
    expect(await tools()).toEqual(['calculate', 'run_javascript']);
    await sort.press('Enter');
    expect(await tools()).toEqual(['run_javascript', 'calculate']);
    expect(await table.getByRole('columnheader', { name: /^Tool/ }).getAttribute('aria-sort')).toBe('descending');
  }

  async function showsUsage(page: Page): Promise<void> {
    const table = page.getByRole('table', { name: 'Table' });
    const last = table.locator('tfoot tr');
    await last.waitFor();
    expect((await last.innerText()).split(/\s+/)).toEqual(['Total', '2', '1', '0', '30', '20', '–']);
    await page.getByRole('img', { name: 'Tokens by Day: 50 in total' }).waitFor();
    await page.getByRole('combobox', { name: 'Show' }).selectOption('cost');
    await page.getByRole('img', { name: /^Cost by Day: \$0 in total, plus an unknown amount$/ }).waitFor();
    await page.getByRole('combobox', { name: 'Group by' }).selectOption('tool');
    await page.getByRole('img', { name: /^Calls by Tool: 1 in total/ }).waitFor();
    await table.getByRole('rowheader', { name: /get-date/ }).waitFor();
    expect(await axeFinds(page, { within: 'main' })).toEqual([]);
    const saved = page.waitForEvent('download');
    await page.getByRole('button', { name: /CSV/ }).click();
    const csv = readFileSync(await (await saved).path(), 'utf8');
    expect(csv.split('\r\n')[1]).toMatch(/^date\/get-date,date\/get-date,0,1,0,\d+,/);
  }

  test('shows usage by day and tool, sets budgets, and asks when one is used up', async () => {
    const { open, server } = await stages.set(looksThenSays, { date: true });
    const { id } = await call<{ id: string }>(server.url, 'POST', '/api/conversations', {});
    const page = await open(`/c/${id}`);
    await chatPage(page).send('What time is it?');
    await page.getByText('It is late.').waitFor();
    await chatPage(page).waitUntilIdle();
    await page.getByRole('link', { name: 'Settings' }).first().click();
    await page.getByRole('link', { name: 'Usage' }).click();
    await showsUsage(page);
    await page.getByRole('link', { name: 'Permissions' }).click();
    await sortsTable(page);
    await setsBudgetsInSettings(page);
    await asksUsedUpBudget(page);
    await stopsAtUsedUpBudget(page);
  });
});

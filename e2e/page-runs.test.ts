import { expect, test } from 'vitest';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { SMALL_WINDOW } from './support/shared-page.ts';

type Sent = { messages: { role: string; content: unknown }[] };

const TASKS = [
  { title: 'Weather report', task: 'Tell the weather' },
  { title: 'Colour choice', task: 'Choose a colour' },
];

/** Delegates two tasks; one of the sub-agents asks the user. */
const script: ModelScript = ({ body }) => {
  const { messages } = body as Sent;
  const userMessage = String(messages.findLast(({ role }) => role === 'user')?.content);
  const isAnswered = messages.at(-1)?.role === 'tool';
  if (userMessage === TASKS[0]?.task) return reply.text('It rains.');
  if (userMessage === TASKS[1]?.task)
    return reply.toolCalls([{ name: 'ask_user', arguments: { question: 'Which colour?' } }]);
  return isAnswered
    ? reply.text('Both are done.')
    : reply.toolCalls([{ name: 'delegate_task', arguments: { tasks: TASKS } }]);
};

describePage('runs on the page', (stages) => {
  test('are listed with filters, shown as a tree, and stopped', async () => {
    const stage = await stages.set(script);
    const { url } = stage.server;
    const configuration = { servers: { 'sub-agents': true } };
    const { id } = await call<{ id: string }>(url, 'POST', '/api/conversations', { title: 'Planning', configuration });
    const page = await stage.open(`/c/${id}`, SMALL_WINDOW);
    await chatPage(page).send('Plan the day');
    await page.getByRole('list', { name: 'Sub-agents' }).getByText('Needs your answer').waitFor();
    await page.goto(`${new URL(page.url()).origin}/runs`);
    const list = page.getByRole('list', { name: 'Runs' });
    await list
      .getByRole('link', { name: /Weather report/ })
      .first()
      .waitFor();
    expect(await list.getByRole('listitem').count()).toBe(3);
    expect(await axeFinds(page)).toEqual([]);

    await page.getByLabel('Status', { exact: true }).selectOption('waiting');
    await list
      .getByRole('link', { name: /Weather report/ })
      .first()
      .waitFor({ state: 'hidden' });
    await list
      .getByRole('link', { name: /Colour choice/ })
      .first()
      .click();
    const tree = page.getByRole('tree', { name: 'Tree of runs' });
    await tree.getByRole('treeitem', { name: /Planning/ }).waitFor();
    expect(await tree.getByRole('treeitem').count()).toBe(3);
    expect(await axeFinds(page)).toEqual([]);

    await tree.getByRole('treeitem', { selected: true }).focus();
    await page.keyboard.press('Home');
    await page.keyboard.press('Enter');
    await page.getByRole('list', { name: 'Steps' }).getByText('Delegate to sub-agents', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Stop this run and all below' }).click();
    await tree
      .getByRole('treeitem', { name: /Planning/ })
      .getByText('Stopped')
      .waitFor();
    await tree
      .getByRole('treeitem', { name: /Colour choice/ })
      .getByText('Stopped')
      .waitFor();
  });
});

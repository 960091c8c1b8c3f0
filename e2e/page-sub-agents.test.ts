import { expect, test } from 'vitest';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call, signedIn } from './support/api.ts';
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
  if (userMessage === TASKS[1]?.task) {
    return isAnswered
      ? reply.text('Blue it is.')
      : reply.toolCalls([{ name: 'ask_user', arguments: { question: 'Which colour?' } }]);
  }
  return isAnswered
    ? reply.text('Both are done.')
    : reply.toolCalls([{ name: 'delegate_task', arguments: { tasks: TASKS } }]);
};

describePage('sub-agents on the page', (stages) => {
  test('are listed in the card of their call, and ask in conversations that lead back', async () => {
    const stage = await stages.set(script);
    const { url } = stage.server;
    const configuration = { servers: { 'sub-agents': true } };
    const { id } = await call<{ id: string }>(url, 'POST', '/api/conversations', {
      title: 'Planning',
      configuration,
    });
    const page = await stage.open(`/c/${id}`, SMALL_WINDOW);
    await chatPage(page).send('Plan the day');
    const list = page.getByRole('list', { name: 'Sub-agents' });
    await list.getByText('Completed').waitFor();
    await list.getByText('Needs your answer').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    // Top-level conversations only.
    const listed = () => page.locator('[data-conversation]').allInnerTexts();
    await eventually(async () => expect(await listed()).toEqual([expect.stringContaining('Planning')]));

    await list.getByRole('link', { name: 'Colour choice' }).click();
    await page.getByText('Sub-agent of').waitFor();
    await page.getByRole('textbox', { name: /answer/i }).fill('Blue');
    await page.keyboard.press('Enter');
    await page.getByText('Blue it is.').waitFor();
    await page.getByRole('link', { name: 'Planning' }).last().click();
    await page.getByText('Both are done.').waitFor();
    await eventually(async () => expect(await list.getByText('Completed').count()).toBe(2));
    const removal = await fetch(`${url}/api/conversations/${encodeURIComponent(await readChild(url, id))}`, {
      method: 'DELETE',
      headers: signedIn(url),
    });
    expect([removal.status, await removal.json()]).toMatchObject([409, { code: 'conflict' }]);
  });
});

async function readChild(url: string, conversation: string): Promise<string> {
  type Runs = { items: { id: string }[] };
  const [run] = (await call<Runs>(url, 'GET', `/api/runs?conversation=${conversation}`)).items;
  type Children = { items: { conversationId: string }[] };
  const { items } = await call<Children>(url, 'GET', `/api/runs/${run?.id ?? ''}/children`);
  return items[0]?.conversationId ?? '';
}

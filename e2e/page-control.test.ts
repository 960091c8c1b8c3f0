import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ModelReply } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Answers = (request: { body: unknown }) => ModelReply | Promise<ModelReply>;
type Messages = { messages: { role: string; content: unknown }[] };

const servers = {
  desk: {
    behaviour: {
      tools: [
        { name: 'note', does: [{ do: 'echo' as const }] },
        { name: 'shell', does: [{ do: 'echo' as const }] },
      ],
    },
  },
};

/** Calls `note` and answers with its result. */
const notes: Answers = ({ body }) => {
  const last = (body as Messages).messages.at(-1);
  if (last?.role !== 'tool') return reply.toolCalls([{ name: 'note', arguments: { text: 'milk' } }]);
  return reply.text(`Noted: ${JSON.stringify(last.content)}`);
};

/** Asks the user twice, once with free text and once with choices. */
const asks: Answers = ({ body }) => {
  const { messages } = body as Messages;
  const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
  if (answers.length === 0) return reply.toolCalls([{ name: 'ask_user', arguments: { question: 'Which city?' } }]);
  if (answers.length > 1) return reply.text(`So: ${answers.join(' and ')}`);
  return reply.toolCalls([{ name: 'ask_user', arguments: { question: 'How?', choices: ['By train', 'By ship'] } }]);
};

/** Calls `note` when `held` resolves; its answer depends on whether it was steered. */
function isSteered(held: Promise<void>): Answers {
  return async ({ body }) => {
    const { messages } = body as Messages;
    if (JSON.stringify(messages).includes('Use the blue one')) return reply.text('Blue it is.');
    if (messages.at(-1)?.role === 'tool') return reply.text('Red it is.');
    await held;
    return reply.toolCalls([{ name: 'note', arguments: { text: 'red' } }]);
  };
}

describePage('run control in the page', (stages) => {
  async function expectAccessible(page: Page, within: string): Promise<void> {
    expect(await axeFinds(page, { within })).toEqual([]);
  }

  const runSheet = (page: Page) => page.getByRole('dialog', { name: 'Steps of this answer' });

  /** Opens the steps from the header of the chat, and answers the interrupt by another client. */
  async function showsWaitingRun(page: Page): Promise<void> {
    const { url } = stages.now.server;
    const chat = chatPage(page);
    await chat.send('Remember the milk.');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await chat.path();
    await page
      .locator('header')
      .getByRole('button', { name: /^Options for/ })
      .click();
    await page.getByRole('menuitem', { name: 'Steps' }).click();
    const sheet = runSheet(page);
    await sheet.getByText('Waiting for you', { exact: true }).waitFor();
    await sheet.getByText('Not answered yet').waitFor();
    const [asked] = (await call<{ items: { id: string }[] }>(url, 'GET', '/api/interrupts')).items;
    const answer = { decision: 'approve', scope: 'once' };
    await call(url, 'POST', `/api/interrupts/${asked?.id ?? ''}/answer`, { answer });
    await sheet.getByText('Completed', { exact: true }).waitFor();
    await sheet.getByText('Allowed', { exact: true }).waitFor();
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
    await chat.reads(/Noted/);
    await chat.waitUntilIdle();
  }

  async function showsStepsOfCompletedRun(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Steps' }).click();
    const sheet = runSheet(page);
    const steps = sheet.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await eventually(async () => expect(await steps.count()).toBe(4));
    const told = await steps.allInnerTexts();
    const kinds = told.map((text) => /^(Model|Waiting|Tool)/.exec(text.trim())?.[0]);
    expect(kinds).toEqual(['Model', 'Waiting', 'Tool', 'Model']);
    expect(told[1]).toContain('Allowed');
    await sheet.getByText('Time waiting for you').waitFor();
    await steps.nth(2).getByRole('button').click();
    await sheet.getByText('desk/note').waitFor();
    await sheet.getByText('milk').first().waitFor();
    // The second request contains the result of the tool, as the model received it.
    await steps.nth(3).getByRole('button').first().click();
    await sheet.getByRole('button', { name: 'Show request' }).click();
    await sheet.getByText('Remember the milk.').waitFor();
    await sheet.getByText('Tool result').waitFor();
    await sheet.getByText(/^[0-9]+ tools$/).waitFor();
    await expectAccessible(page, 'dialog');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  }

  const contextMeter = (page: Page) => page.getByRole('button', { name: /^Context: \d+% used/ });
  const contextPanel = (page: Page) => page.getByRole('dialog', { name: 'Context usage' });

  async function showsWhatFillsContextWindow(page: Page): Promise<void> {
    await contextMeter(page).click();
    await contextPanel(page).getByText('Tool results').waitFor();
    await contextPanel(page)
      .getByText(/of [\d,]+ tokens/)
      .waitFor();
    await expectAccessible(page, '[popover]:popover-open');
    await page.keyboard.press('Escape');
  }

  async function takesSteeringBeforeNextStep(page: Page, release: () => void): Promise<void> {
    const chat = chatPage(page);
    await chat.anew();
    await chat.send('Choose one.');
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await chat.path();
    await chat.composer.fill('Use the blue one.');
    await page.getByRole('button', { name: 'Send options' }).click();
    // The field is empty at once, and stays so after the server has stored the message.
    const taken = page.waitForResponse((response) => response.url().endsWith('/messages'));
    await page.getByRole('menuitem', { name: 'Add to the current answer' }).click();
    expect((await taken).ok()).toBe(true);
    expect(await chat.composer.inputValue()).toBe('');
    await page.getByRole('region', { name: 'Added to the answer at its next step' }).getByText('blue one').waitFor();
    expect(await page.getByText('Sent one by one').count()).toBe(0);
    release();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await chat.reads('Blue it is.');
    await chat.waitUntilIdle();
    expect(await chat.text()).toContain('Use the blue one.');
    expect(await page.getByText(/queued message/).count()).toBe(0);
  }

  async function answersInterruptsOfModelAfterReload(page: Page): Promise<void> {
    const chat = chatPage(page);
    await chat.anew();
    await chat.send('Plan a journey.');
    await page.getByText('Which city?').waitFor();
    await chat.path();
    await page.reload();
    const field = page.getByRole('textbox', { name: 'Your answer' });
    await field.fill('Taipei');
    await expectAccessible(page, '[data-tool-card]');
    await field.press('Enter');
    await page.getByText('How?').waitFor();
    await page.getByRole('radio', { name: 'By ship' }).check();
    await expectAccessible(page, '[data-tool-card]:last-of-type');
    await page.getByRole('button', { name: 'Send', exact: true }).first().click();
    await chat.reads(/So: .*Taipei.*By ship/);
  }

  test('shows the steps and the context of runs, steers one, and answers interrupts of the model', async () => {
    const { promise: held, resolve: release } = Promise.withResolvers<void>();
    const steered = isSteered(held);
    const stage = await stages.set(
      (request) => {
        const text = JSON.stringify((request.body as Messages).messages);
        if (text.includes('Choose one.')) return steered(request);
        return text.includes('Plan a journey.') ? asks(request) : notes(request);
      },
      { servers },
    );
    const page = await stage.open();
    await showsWaitingRun(page);
    await showsStepsOfCompletedRun(page);
    await showsWhatFillsContextWindow(page);
    const milk = await chatPage(page).path();
    await takesSteeringBeforeNextStep(page, release);
    await answersInterruptsOfModelAfterReload(page);
    // A conversation opened after the reload.
    await page.locator(`a[href="${milk}"]`).click();
    await chatPage(page).reads(/Noted/);
    await contextMeter(page).click();
    await contextPanel(page).getByText('Tools', { exact: true }).waitFor();
  });

  test('adds permission rules, tests them without a call, and applies them', async () => {
    const stage = await stages.set(notes, { servers });
    const page = await stage.open('/settings/permissions');
    await page.getByRole('button', { name: 'Add rule' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Fill in at least one condition').waitFor();
    await page.getByLabel('Action').selectOption('Never allow');
    await page.getByLabel('Argument', { exact: true }).fill('*milk*');
    await expectAccessible(page, 'main');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('list', { name: 'Rules' }).getByText('*milk*').waitFor();
    await page.getByLabel('Tool', { exact: true }).selectOption('note');
    await page.getByText('You would be asked.').waitFor();
    await page.getByLabel('Arguments (JSON)').fill('{"text": "milk and honey"}');
    await page.getByText('It would be denied.').waitFor();
    await page.getByText('Rule 1 applies.').waitFor();
    await page.getByLabel('Arguments (JSON)').fill('{"text": "rm -rf /"}');
    await page.getByText(/Flagged as dangerous/).waitFor();

    // The rule denies a call of a chat until it is removed.
    const { url } = stage.server;
    const { id } = await call<{ id: string }>(url, 'POST', '/api/conversations', {});
    const parts = [{ type: 'text', text: 'Remember the milk.' }];
    await call(url, 'POST', `/api/conversations/${id}/messages`, { parts });
    await page.locator(`a[href="/c/${id}"]`).click();
    const chat = chatPage(page);
    await chat.reads(/Noted/);
    expect(await chat.text()).toContain('Denied');
    await page.goBack();
    await page.getByRole('button', { name: 'Remove rule 1' }).click();
    await page.getByRole('list', { name: 'Rules' }).waitFor({ state: 'detached' });
    // The page shows the change before the server has stored it.
    await expect
      .poll(() => call<{ defaults: object }>(url, 'GET', '/api/settings'))
      .not.toHaveProperty('defaults.interventionRules');
  });
});

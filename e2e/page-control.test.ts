import { expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

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

/** Calls `note`, and says what came of it. */
const notes: ModelScript = ({ body }) => {
  const last = (body as Messages).messages.at(-1);
  if (last?.role !== 'tool') return reply.toolCalls([{ name: 'note', arguments: { text: 'milk' } }]);
  return reply.text(`Noted: ${JSON.stringify(last.content)}`);
};

describePage('control in the page', (stages) => {
  async function untilAnswered(): Promise<Page> {
    const stage = await stages.set(notes, { servers });
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('Remember the milk.');
    await page.getByRole('button', { name: 'Allow once' }).click();
    await chat.reads(/Noted/);
    await chat.rests();
    await chat.path();
    return page;
  }

  async function faultless(page: Page, within: string): Promise<void> {
    expect(await axeFinds(page, { within })).toEqual([]);
  }

  test('the steps of an answer are told: model, waiting, tool, with what went in and came out', async () => {
    const page = await untilAnswered();
    await page.getByRole('button', { name: 'What happened, step by step' }).click();
    const sheet = page.getByRole('dialog', { name: 'What happened in this answer' });
    const steps = sheet.getByRole('list', { name: 'Steps' }).getByRole('listitem');
    await eventually(async () => expect(await steps.count()).toBe(4));
    const told = await steps.allInnerTexts();
    expect(told.map((text) => /^(Model|Waiting|Tool)/.exec(text.trim())?.[0])).toEqual([
      'Model',
      'Waiting',
      'Tool',
      'Model',
    ]);
    expect(told[1]).toContain('Allowed');
    await sheet.getByText('Of it waited for a person').waitFor();
    await steps.nth(2).getByRole('button').click();
    await sheet.getByText('desk/note').waitFor();
    await sheet.getByText('milk').first().waitFor();
    // The second request held what the tool had answered, as the model read it.
    await steps.nth(3).getByRole('button').first().click();
    await sheet.getByRole('button', { name: 'What was sent to it' }).click();
    await sheet.getByText('Remember the milk.').waitFor();
    await sheet.getByText('Result of a tool').waitFor();
    await sheet.getByText(/tools were offered/).waitFor();
    await faultless(page, 'dialog');
    await page.keyboard.press('Escape');
    await sheet.waitFor({ state: 'detached' });
  });

  test('a run that waits is shown from above the chat, and goes on there when it is answered', async () => {
    const stage = await stages.set(notes, { servers });
    const page = await stage.open();
    await chatPage(page).send('Remember the milk.');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    await chatPage(page).path();
    await page
      .locator('header')
      .getByRole('button', { name: /^Options for/ })
      .click();
    await page.getByRole('menuitem', { name: 'What happened, step by step' }).click();
    const sheet = page.getByRole('dialog', { name: 'What happened in this answer' });
    await sheet.getByText('Waits for a person').waitFor();
    await sheet.getByText('Not answered yet').waitFor();
    const [asked] = (await call<{ items: { id: string }[] }>(stage.server.url, 'GET', '/api/interrupts')).items;
    await call(stage.server.url, 'POST', `/api/interrupts/${asked?.id ?? ''}/answer`, {
      answer: { decision: 'approve', scope: 'once' },
    });
    await sheet.getByText('Done', { exact: true }).waitFor();
    await sheet.getByText('Allowed', { exact: true }).waitFor();
  });

  test('the meter tells what fills the window, also of a conversation that is opened again', async () => {
    const page = await untilAnswered();
    const meter = page.getByRole('button', { name: /^Context: \d+ % full/ });
    await meter.click();
    const panel = page.getByRole('dialog', { name: 'What fills the model’s window' });
    await panel.getByText('Results of tools').waitFor();
    await panel.getByText(/of [\d,]+ tokens/).waitFor();
    await faultless(page, '[popover]:popover-open');
    await page.reload();
    await meter.click();
    await panel.getByText('Tools', { exact: true }).waitFor();
  });

  test('what is said to an answer under way is taken in before its next step', async () => {
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const stage = await stages.set(
      async ({ body }) => {
        const { messages } = body as Messages;
        if (JSON.stringify(messages).includes('Use the blue one')) return reply.text('Blue it is.');
        if (messages.at(-1)?.role === 'tool') return reply.text('Red it is.');
        await held;
        return reply.toolCalls([{ name: 'note', arguments: { text: 'red' } }]);
      },
      { servers },
    );
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('Choose one.');
    await page.getByRole('button', { name: 'Stop', exact: true }).waitFor();
    await chat.path();
    await chat.composer.fill('Use the blue one.');
    await page.getByRole('button', { name: 'More ways to send' }).click();
    // The field is empty at once, and stays so where the server has it.
    const taken = page.waitForResponse((response) => response.url().endsWith('/messages'));
    await page.getByRole('menuitem', { name: 'Tell it to this answer now' }).click();
    expect((await taken).ok()).toBe(true);
    expect(await chat.composer.inputValue()).toBe('');
    await page.getByRole('region', { name: 'Added to this answer at its next step' }).getByText('blue one').waitFor();
    expect(await page.getByText('Sent one after another').count()).toBe(0);
    release();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await chat.reads('Blue it is.');
    await chat.rests();
    expect(await chat.text()).toContain('Use the blue one.');
    expect(await page.getByText(/message waiting/).count()).toBe(0);
  });

  test('what the model asks is answered in words and by choosing, also after a reload', async () => {
    const stage = await stages.set(({ body }) => {
      const { messages } = body as Messages;
      const answers = messages.filter(({ role }) => role === 'tool').map(({ content }) => JSON.stringify(content));
      if (answers.length === 0) return reply.toolCalls([{ name: 'ask_user', arguments: { question: 'Which city?' } }]);
      const [, second] = answers;
      if (second !== undefined) return reply.text(`So: ${answers.join(' and ')}`);
      const choices = ['By train', 'By ship'];
      return reply.toolCalls([{ name: 'ask_user', arguments: { question: 'How?', choices } }]);
    });
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('Plan a journey.');
    await chat.path();
    await page.getByText('Which city?').waitFor();
    await page.reload();
    const field = page.getByRole('textbox', { name: 'Your answer' });
    await field.fill('Taipei');
    await faultless(page, '[data-tool-card]');
    await field.press('Enter');
    await page.getByText('How?').waitFor();
    await page.getByRole('radio', { name: 'By ship' }).check();
    await faultless(page, '[data-tool-card]:last-of-type');
    await page.getByRole('button', { name: 'Send', exact: true }).first().click();
    await chat.reads(/So: .*Taipei.*By ship/);
  });

  test('rules are written in the page, tried without a call, and count', async () => {
    const stage = await stages.set(notes, { servers });
    const page = await stage.open('/settings/permissions');
    await page.getByRole('button', { name: 'Add a rule' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Say which calls it is for').waitFor();
    await page.getByLabel('What is done').selectOption('Never allow');
    await page.getByLabel('Argument', { exact: true }).fill('*milk*');
    await faultless(page, 'main');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('list', { name: 'Rules' }).getByText('*milk*').waitFor();
    await page.getByLabel('Tool', { exact: true }).selectOption('note');
    await page.getByText('You would be asked.').waitFor();
    await page.getByLabel('Arguments, as JSON').fill('{"text": "milk and honey"}');
    await page.getByText('It would be refused.').waitFor();
    await page.getByText('Rule 1 decides.').waitFor();
    await page.getByLabel('Arguments, as JSON').fill('{"text": "rm -rf /"}');
    await page.getByText(/It is feared/).waitFor();

    const chat = chatPage(page);
    await page.getByRole('link', { name: 'New chat' }).first().click();
    await chat.send('Remember the milk.');
    await chat.reads(/Noted/);
    expect(await chat.text()).toContain('Refused');

    await page.goto(`${stage.line.url}/settings/permissions`);
    await page.getByRole('button', { name: 'Remove rule 1' }).click();
    await page.getByRole('list', { name: 'Rules' }).waitFor({ state: 'detached' });
    const { defaults } = await call<{ defaults: object }>(stage.server.url, 'GET', '/api/settings');
    expect(defaults).not.toHaveProperty('interventionRules');
  });
});

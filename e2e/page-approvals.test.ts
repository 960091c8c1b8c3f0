import { expect, test } from 'vitest';
import type { Locator, Page } from 'playwright-core';
import type { McpBehaviour, ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Messages = { messages: { role: string; content: unknown }[] };

const LETTER = { to: 'ann@example.com', copies: 2, body: { text: 'Hello' } };

/** Calls `post` and answers with its result; a message about deleting leads to a call that is flagged as dangerous. */
const writes: ModelScript = ({ body }) => {
  const last = (body as Messages).messages.at(-1);
  if (last?.role === 'tool') return reply.text(`The tool said: ${JSON.stringify(last.content)}`);
  const isDangerous = JSON.stringify(last?.content).includes('Delete');
  return reply.toolCalls([{ name: 'post', arguments: isDangerous ? { to: 'rm -rf /' } : LETTER }]);
};

const office: McpBehaviour = {
  tools: [
    {
      name: 'post',
      inputSchema: {
        type: 'object',
        properties: {
          to: { type: 'string', title: 'To' },
          copies: { type: 'integer', title: 'Copies', description: 'How many are printed' },
          urgent: { type: 'boolean', title: 'Urgent' },
          body: { type: 'object', title: 'Body' },
        },
        required: ['to'],
      },
      does: [{ do: 'echo' }],
    },
    { name: 'p\u043est', does: [{ do: 'text', text: 'never called' }] },
  ],
};

describePage('approvals in the page', (stages) => {
  /** A new chat whose call needs an approval. */
  async function askInNewChat(page: Page, text = 'Write to Ann.') {
    const chat = chatPage(page);
    await chat.anew();
    await chat.send(text);
    const card = chat.card('post');
    await card.getByRole('button', { name: 'Allow once' }).waitFor();
    await chat.path();
    return { chat, card };
  }

  const lastingScopes = (card: Locator) => card.getByRole('button', { name: 'More ways to allow' });
  const setDefaults = (defaults: object) => call(stages.now.server.url, 'PUT', '/api/settings/defaults', defaults);

  async function offersOnlyOneCallWhenDangerous(page: Page): Promise<void> {
    const { card } = await askInNewChat(page, 'Delete everything.');
    await card.getByText('Flagged as dangerous; you can only allow this one call.').waitFor();
    expect(await lastingScopes(card).count()).toBe(0);
    const inChinese = await stages.now.open(await chatPage(page).path(), { locale: 'zh-TW' });
    await inChinese.getByText('它會刪除 / 及其中所有內容。').waitFor();
    await inChinese.close();
  }

  async function offersOnlyOneCallWhenRuleAsks(page: Page): Promise<void> {
    await setDefaults({ interventionRules: [{ decision: 'ask', tool: '*/post' }] });
    const { card } = await askInNewChat(page);
    await card.getByText('One of your rules asks before every call like this.').waitFor();
    expect(await card.getByRole('link', { name: 'Rules' }).getAttribute('href')).toBe('/settings/permissions');
    expect(await lastingScopes(card).count()).toBe(0);
    await setDefaults({ interventionRules: [] });
  }

  async function namesUnsandboxedServerInModeAuto(page: Page): Promise<void> {
    const { url } = stages.now.server;
    await call(url, 'PUT', '/api/mcp/unsandboxed-servers', { servers: ['office'] });
    await setDefaults({ intervention: 'auto' });
    const transport = { type: 'stdio', command: process.execPath, args: ['--version'], sandbox: false };
    await call(url, 'POST', '/api/mcp/servers', { id: 'added', transport });
    const { card } = await askInNewChat(page);
    await card.getByText(/is not confirmed for these servers, which run without a sandbox: added\./).waitFor();
    expect(await card.getByRole('link', { name: 'Settings' }).getAttribute('href')).toMatch(/^\/settings/);
  }

  async function calledWithEditedArguments(page: Page): Promise<void> {
    const { chat, card } = await askInNewChat(page);
    await card.getByRole('button', { name: 'Edit arguments…' }).click();
    await card.getByLabel('Copies').fill('many');
    await card.getByText('Enter a whole number.').or(card.getByText('Enter a number.')).waitFor();
    // Invalid arguments are not sent.
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.locator(':focus[aria-invalid=true]').waitFor();
    await card.getByLabel('Copies').fill('3');
    await card.getByLabel('Urgent').selectOption('Yes');
    await card.getByText('You changed 2 values').waitFor();
    expect(await axeFinds(page, { within: '[data-tool-card]' })).toEqual([]);

    await card.getByText('JSON', { exact: true }).click();
    const json = card.getByRole('textbox', { name: 'Arguments' });
    expect(JSON.parse(await json.inputValue())).toEqual({ ...LETTER, copies: 3, urgent: true });
    await json.fill('{"to": "bob@example.com", "copies": 4}');
    await card.getByText('You changed 3 values').waitFor();
    await card.getByText('Form', { exact: true }).click();
    expect(await card.getByLabel('To', { exact: true }).inputValue()).toBe('bob@example.com');

    await card.getByRole('button', { name: 'Allow once as edited' }).click();
    await chat.reads(/The tool said/);
    await chat.waitUntilIdle();
    expect(await chat.text()).toContain('bob@example.com');
    await chat.unfoldAll();
    await chat.reads('Edited by you');
    // Both are stored: the arguments of the model, and those of the call.
    await page.reload();
    await chat.reads(/The tool said/);
    await chat.unfoldAll();
    await chat.reads('Edited by you');
    expect(await chat.text()).toContain('ann@example.com');
  }

  async function saysThatAnotherToolLooksAlike(page: Page): Promise<void> {
    const { card } = await askInNewChat(page);
    await card.getByText('“office/post” can be mistaken for office/p⟨U+043E⟩st.').waitFor();
    const tools = await stages.now.open('/settings/tools?server=office');
    const row = tools.getByRole('listitem').filter({ hasText: 'p⟨U+043E⟩st' });
    await row.getByText('Looks like office/post').waitFor();
    await tools.close();
  }

  async function calledAsModelAskedAfterUndo(page: Page): Promise<void> {
    const { chat, card } = await askInNewChat(page);
    await card.getByRole('button', { name: 'Edit arguments…' }).click();
    await card.getByLabel('To', { exact: true }).fill('eve@example.com');
    await card.getByRole('button', { name: 'Allow once as edited' }).waitFor();
    await card.getByRole('button', { name: 'Undo changes' }).click();
    await card.getByRole('button', { name: 'Allow once', exact: true }).click();
    await chat.reads(/The tool said/);
    await chat.waitUntilIdle();
    expect(await chat.text()).not.toContain('eve@example.com');
  }

  async function answeredByKeysOutsideOfFields(page: Page): Promise<void> {
    const { chat, card } = await askInNewChat(page);
    await card.getByRole('button', { name: 'Edit arguments…' }).click();
    const field = card.getByLabel('To', { exact: true });
    await field.fill('bob@example.com');
    await field.press('Enter');
    await field.press('Escape');
    await card.getByRole('button', { name: 'Allow once as edited' }).waitFor();
    expect(await chat.text()).not.toContain('The tool said');
    await page.clock.install();
    await chat.composer.focus();
    await card.locator('[data-interrupt]').focus();
    // Keys count once the interrupt has been visible for a while.
    await page.clock.fastForward(1_000);
    await page.keyboard.press('Enter');
    await chat.reads(/The tool said: .*bob@example\.com/);
  }

  test('approves calls as requested or with edited arguments, and explains why some need it each time', async () => {
    const stage = await stages.set(writes, { servers: { office: { behaviour: office } } });
    const page = await stage.open();
    await saysThatAnotherToolLooksAlike(page);
    await calledAsModelAskedAfterUndo(page);
    await calledWithEditedArguments(page);
    await offersOnlyOneCallWhenDangerous(page);
    await offersOnlyOneCallWhenRuleAsks(page);
    await answeredByKeysOutsideOfFields(page);
    await namesUnsandboxedServerInModeAuto(page);
  });
});

import { expect, test } from 'vitest';
import type { McpBehaviour, ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Messages = { messages: { role: string; content: unknown }[] };

const LETTER = { to: 'ann@example.com', copies: 2, body: { text: 'Hello' } };

/** Asks for a letter, and says what came of it. */
const writes: ModelScript = ({ body }) => {
  const last = (body as Messages).messages.at(-1);
  if (last?.role !== 'tool') return reply.toolCalls([{ name: 'post', arguments: LETTER }]);
  return reply.text(`The tool said: ${JSON.stringify(last.content)}`);
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
  ],
};

describePage('approvals in the page', (stages) => {
  async function untilAsked(script = writes, prepare = (_url: string): Promise<unknown> => Promise.resolve()) {
    const stage = await stages.set(script, { servers: { office: { behaviour: office } } });
    await prepare(stage.server.url);
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('Write to Ann.');
    const card = chat.card('post');
    await card.getByRole('button', { name: 'Allow once' }).waitFor();
    return { page, chat, card };
  }

  test('of what is feared are for the one call', async () => {
    const { card } = await untilAsked(() => reply.toolCalls([{ name: 'post', arguments: { to: 'rm -rf /' } }]));
    await card.getByText('Look closely: only this one call would be allowed.').waitFor();
    expect(await card.getByRole('button', { name: /^(?:In this conversation|Always)$/ }).count()).toBe(0);
  });

  test('of what a rule asks about are for the one call, and say so', async () => {
    const rules = { interventionRules: [{ decision: 'ask', tool: '*/post' }] };
    const { card } = await untilAsked(writes, (url) => call(url, 'PUT', '/api/settings/defaults', rules));
    await card.getByText('One of your rules asks before every call like this one.').waitFor();
    expect(await card.getByRole('link', { name: 'Rules' }).getAttribute('href')).toBe('/settings/permissions');
    expect(await card.getByRole('button', { name: /^(?:In this conversation|Always)$/ }).count()).toBe(0);
  });

  test('say which unsandboxed server keeps mode "auto" from counting', async () => {
    const { card } = await untilAsked(writes, async (url) => {
      await call(url, 'PUT', '/api/mcp/unsandboxed', { servers: ['office'] });
      await call(url, 'PUT', '/api/settings/defaults', { intervention: 'auto' });
      const transport = { type: 'stdio', command: process.execPath, args: ['--version'], sandbox: false };
      await call(url, 'POST', '/api/mcp/servers', { id: 'added', transport });
    });
    await card.getByText(/is not confirmed beside these servers, which run without a sandbox: added\./).waitFor();
    expect(await card.getByRole('link', { name: 'Settings' }).getAttribute('href')).toMatch(/^\/settings/);
  });

  test('the arguments are changed in a form and as JSON, the difference is shown, and the call is made with them', async () => {
    const { page, chat, card } = await untilAsked();
    await card.getByRole('button', { name: 'Change the arguments…' }).click();
    await card.getByLabel('Copies').fill('many');
    await card.getByText('Write a whole number.').or(card.getByText('Write a number.')).waitFor();
    // What cannot be read is not sent.
    await card.getByRole('button', { name: 'Allow once' }).click();
    await page.locator(':focus[aria-invalid=true]').waitFor();
    await card.getByLabel('Copies').fill('3');
    await card.getByLabel('Urgent').selectOption('Yes');
    await card.getByText('You changed 2 places').waitFor();
    expect(await axeFinds(page, { within: '[data-tool-card]' })).toEqual([]);

    await card.getByText('JSON', { exact: true }).click();
    const json = card.getByRole('textbox', { name: 'Arguments' });
    expect(JSON.parse(await json.inputValue())).toEqual({ ...LETTER, copies: 3, urgent: true });
    await json.fill('{"to": "bob@example.com", "copies": 4}');
    await card.getByText('You changed 3 places').waitFor();
    await card.getByText('Form', { exact: true }).click();
    expect(await card.getByLabel('To', { exact: true }).inputValue()).toBe('bob@example.com');

    await card.getByRole('button', { name: 'Allow once as edited' }).click();
    await chat.reads(/The tool said/);
    await chat.rests();
    expect(await chat.text()).toContain('bob@example.com');
    await chat.unfoldAll();
    await chat.reads('As you changed them');
    // Both stay: what the model asked for, and what was called.
    await chat.path();
    await page.reload();
    await chat.reads(/The tool said/);
    await chat.unfoldAll();
    await chat.reads('As you changed them');
    expect(await chat.text()).toContain('ann@example.com');
  });

  test('what was changed can be undone, and then the call is made as the model asked', async () => {
    const { chat, card } = await untilAsked();
    await card.getByRole('button', { name: 'Change the arguments…' }).click();
    await card.getByLabel('To', { exact: true }).fill('eve@example.com');
    await card.getByRole('button', { name: 'Allow once as edited' }).waitFor();
    await card.getByRole('button', { name: 'As it was' }).click();
    await card.getByRole('button', { name: 'Allow once', exact: true }).click();
    await chat.reads(/The tool said/);
    await chat.rests();
    expect(await chat.text()).not.toContain('eve@example.com');
  });

  test('Enter and Escape answer on the question itself, never in a field of it', async () => {
    const { page, chat, card } = await untilAsked();
    await card.getByRole('button', { name: 'Change the arguments…' }).click();
    const field = card.getByLabel('To', { exact: true });
    await field.fill('bob@example.com');
    await field.press('Enter');
    await field.press('Escape');
    await card.getByRole('button', { name: 'Allow once as edited' }).waitFor();
    expect(await chat.text()).not.toContain('The tool said');
    await page.clock.install();
    await chat.composer.focus();
    await card.locator('[data-question]').focus();
    // Keys count once the question has been there to be seen.
    await page.clock.fastForward(1_000);
    await page.keyboard.press('Enter');
    await chat.reads(/The tool said: .*bob@example\.com/);
  });
});

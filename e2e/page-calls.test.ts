import { expect, test } from 'vitest';
import type { McpBehaviour, ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Messages = { messages: { role: string }[] };

/** One call per answer of the model, as most models do: the fourth fails, the fifth needs an approval. */
const CALLS = ['search', 'search', 'read_file', 'fail', 'post'];
const steps: ModelScript = ({ body }) => {
  const made = (body as Messages).messages.filter(({ role }) => role === 'tool').length;
  const name = CALLS[made];
  return name === undefined ? reply.text('All five are done.') : reply.toolCalls([{ name, arguments: { step: made } }]);
};
const office: McpBehaviour = {
  tools: [
    ...['search', 'read_file', 'post'].map((name) => ({ name, does: [{ do: 'echo' as const }] })),
    { name: 'fail', does: [{ do: 'fail', text: 'Closed on Mondays.' }] },
  ],
};

describePage('consecutive calls in the page', (stages) => {
  test('are one group in which failures and approvals stay visible, also after a reload and on a phone', async () => {
    const stage = await stages.set(steps, { servers: { office: { behaviour: office } } });
    const interventionRules = ['search', 'read_file', 'fail'].map((name) => ({
      decision: 'allow',
      tool: `office/${name}`,
    }));
    await call(stage.server.url, 'PUT', '/api/settings/defaults', { intervention: 'allow-list', interventionRules });
    const page = await stage.open();
    const chat = chatPage(page);
    const group = page.locator('[data-call-group]');
    const cards = page.locator('[data-tool-card]');
    await chat.send('Do it step by step.');
    await page.getByRole('button', { name: 'Allow once' }).waitFor();
    expect(await group.innerText()).toMatch(
      /5 calls[\s\S]*Needs your answer[\s\S]*1 failed[\s\S]*search ×2, read_file/,
    );
    expect(await cards.count()).toBe(2);
    await chat.reads('Closed on Mondays.');

    await page.getByRole('button', { name: 'More ways to allow' }).click();
    await page.getByRole('menuitem', { name: 'Always allow all tools' }).waitFor();
    expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
      'Allow for this chat',
      'Always allow',
      'Always allow all tools of “office”',
    ]);
    await page.getByRole('menuitem', { name: 'Always allow all tools' }).click();
    await chat.reads('All five are done.');
    await chat.waitUntilIdle();
    const { defaults } = await call<{ defaults: { interventionRules: unknown[] } }>(
      stage.server.url,
      'GET',
      '/api/settings',
    );
    expect(defaults.interventionRules.at(-1)).toEqual({ decision: 'allow', tool: 'office/*' });
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      await page.reload();
      await chat.reads('All five are done.');
      expect(await cards.count()).toBe(1);
      await group.click();
      expect(await cards.count()).toBe(CALLS.length);
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
    }
    expect(await axeFinds(page)).toEqual([]);
    await group.press('Enter');
    expect(await cards.count()).toBe(1);
  });

  test('a call that a model wrote as text runs once, after a click and an approval', async () => {
    const written = '<tool_call>{"name": "post", "arguments": {"to": "Ann"}}</tool_call>';
    const writes: ModelScript = ({ body }) => {
      const results = (body as Messages).messages.filter(({ role }) => role === 'tool').length;
      if (results === 0) return reply.toolCalls([{ name: 'search', arguments: {} }]);
      return reply.text(results === 1 ? `Now I post it: ${written}` : `The model has ${results} results.`);
    };
    const stage = await stages.set(writes, { servers: { office: { behaviour: office } } });
    // Even a rule that allows everything does not make the call by itself.
    const rules = [{ decision: 'allow', tool: 'office/*' }];
    await call(stage.server.url, 'PUT', '/api/settings/defaults', {
      intervention: 'allow-list',
      interventionRules: rules,
    });
    const page = await stage.open();
    const chat = chatPage(page);
    const cards = page.locator('[data-tool-card]');
    const run = page.getByRole('button', { name: 'Run as a call' });
    await chat.send('Post it.');
    await chat.reads('The text looks like a call of “post”. It was not run: this model calls tools natively.');
    await chat.path();
    await page.reload();
    await run.waitFor();
    expect(await cards.count()).toBe(1);

    await run.click();
    await page.getByText('The model wrote this call as text.').waitFor();
    await page.reload();
    await page.getByRole('button', { name: 'Allow once' }).click();
    await chat.reads('The model has 2 results.');
    await chat.waitUntilIdle();
    expect(await run.count()).toBe(0);
    await page.reload();
    await chat.reads('The model has 2 results.');
    expect(await cards.count()).toBe(2);
    expect(await chat.card('post').count()).toBe(1);
  });
});

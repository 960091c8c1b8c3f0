import { expect, test } from 'vitest';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Sent = { messages: { role: string; content: unknown }[] };

/** Ada is asked privately, then both vote, then the supervisor answers. Members answer when `spoken` resolves. */
function scriptWith(spoken: Promise<void>): ModelScript {
  return async ({ body }) => {
    const { messages } = body as Sent;
    const text = JSON.stringify(messages);
    const member = ['Ada', 'Bea'].find((name) => text.includes(`You are ${name}, a painter`));
    if (member !== undefined && text.includes('Options:')) return reply.text(`Blue\nCalm, says ${member}.`);
    if (member !== undefined) {
      await spoken;
      return reply.text(`I am ${member} and like blue.`);
    }
    switch (messages.filter(({ role }) => role === 'tool').length) {
      case 0:
        return reply.toolCalls([{ name: 'speak', arguments: { member: 'Ada', instruction: 'Hint?', private: true } }]);
      case 1: {
        const ballot = { question: 'Which colour?', options: ['Blue', 'Red'], tie_breaker: 'Red' };
        return reply.toolCalls([{ name: 'vote', arguments: ballot }]);
      }
      default:
        return reply.text('We chose blue.');
    }
  };
}

describePage('groups on the page', (stages) => {
  test('are created from agents, and chat with authors, private marks and votes', { tags: ['C10.08'] }, async () => {
    let speak = (): void => undefined;
    const stage = await stages.set(scriptWith(new Promise((resolve) => (speak = resolve))));
    const { url } = stage.server;
    for (const [title, avatar] of [
      ['Ada', '🦊'],
      ['Bea', '🐻'],
    ] as const) {
      const configuration = { instructions: `You are ${title}, a painter` };
      await call(url, 'POST', '/api/agents', { title, profile: { avatar }, configuration });
    }
    const page = await stage.open('/agents');
    await page.getByRole('link', { name: 'New group' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Painters');
    for (const name of ['Ada', 'Bea']) {
      await page.getByLabel('Add a member').selectOption({ label: name });
      await page.getByRole('list', { name: 'Members' }).getByText(name).waitFor();
    }
    expect(await axeFinds(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Chat', exact: true }).click();
    const strip = page.getByRole('region', { name: 'Group', exact: true });
    await strip.getByText('Painters').waitFor();

    await chatPage(page).send('Which colour?');
    await strip.getByRole('list', { name: 'Speaking now' }).getByText('Ada').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    speak();
    const private_ = page.getByRole('article', { name: 'Answer from Ada' });
    await private_.getByText('I am Ada and like blue.').waitFor();
    await private_.getByText('Private', { exact: true }).waitFor();
    await page.getByText('We chose blue.').waitFor();
    const vote = page.getByRole('region', { name: 'Vote' });
    await vote.getByText('2 votes').waitFor();
    await vote.getByText('Calm, says Bea.').waitFor();
    await strip.getByText('Finished: the supervisor answered').waitFor();
    expect(await axeFinds(page)).toEqual([]);

    await chatPage(page).composer.fill('@Be');
    await page.getByRole('option', { name: /Bea/ }).waitFor();
  });
});

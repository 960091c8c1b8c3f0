import { expect, test } from 'vitest';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

type Sent = { messages: { role: string; content: unknown }[] };

/** Ada is asked privately, then both vote, then the supervisor answers. Members pause while they answer, until `spoken` resolves. */
function scriptWith(spoken: Promise<void>): ModelScript {
  return ({ body }) => {
    const { messages } = body as Sent;
    const text = JSON.stringify(messages);
    const member = ['Ada', 'Bea'].find((name) => text.includes(`You are ${name}, a painter`));
    if (member !== undefined && text.includes('Options:')) return reply.text(`Blue\nCalm, says ${member}.`);
    if (member !== undefined)
      return reply.text(`I am ${member} and like blue.`, { pieces: 6, hold: { until: spoken } });
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
  test('are created from agents, and chat with authors, private marks and votes', async () => {
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
    const private_ = page.getByRole('article', { name: 'Answer from Ada' });
    await private_.getByText(/I am A/).waitFor();
    await private_.getByText('Private', { exact: true }).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await page.evaluate(
      `document.querySelector('article[aria-label="Answer from Ada"]').setAttribute('data-kept', '')`,
    );
    speak();
    await private_.getByText('I am Ada and like blue.').waitFor();
    await page.getByText('We chose blue.').waitFor();
    const vote = page.getByRole('region', { name: 'Vote' });
    await vote.getByText('2 votes').waitFor();
    await vote.getByText('Calm, says Bea.').waitFor();
    await strip.getByText('Finished: the supervisor answered').waitFor();
    // The answer that the run stores takes the row of the turn, and no call of the group is shown.
    expect(await private_.getAttribute('data-kept')).toBe('');
    expect(await chatPage(page).messages.getByRole('group').count()).toBe(0);
    expect(await axeFinds(page)).toEqual([]);

    await chatPage(page).composer.fill('@Be');
    await page.getByRole('option', { name: /Bea/ }).waitFor();
  });

  test('without a supervisor speak for one round, and what was written before a stop stays', async () => {
    const never = new Promise<never>(() => undefined);
    const stage = await stages.set(scriptWith(never));
    const { url } = stage.server;
    const ada = await call<{ id: string }>(url, 'POST', '/api/agents', {
      title: 'Ada',
      profile: { avatar: '🦊' },
      configuration: { instructions: 'You are Ada, a painter' },
    });
    const mode = { kind: 'supervisor', supervisor: { instructions: '' } };
    const members = [{ agentId: ada.id }];
    const group = await call<{ id: string }>(url, 'POST', '/api/groups', { title: 'Solo', members, mode });
    const page = await stage.open(`/groups/${group.id}`);
    await page.getByLabel('Who decides who speaks').selectOption({ label: 'Fixed order' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('button', { name: 'Chat', exact: true }).click();
    const chat = chatPage(page);
    await chat.send('Which colour?');
    const strip = page.getByRole('region', { name: 'Group', exact: true });
    await strip.getByText('Round 1 of 1').waitFor();
    await page
      .getByRole('article', { name: 'Answer from Ada' })
      .getByText(/I am A/)
      .waitFor();
    await chat.stop();
    const stopped = chat.messages.getByRole('region', { name: 'Ada' });
    await stopped.getByText(/I am A/).waitFor();
    await stopped.getByText('You stopped this answer.').waitFor();
    await page.reload();
    await stopped.getByText(/I am A/).waitFor();
    expect(await chat.text()).not.toMatch(/speak|[0-9a-f]{8}-[0-9a-f]{4}/);
  });
});

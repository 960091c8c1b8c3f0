import { expect, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import type { ModelReply, RecordedRequest } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

const TITLES = { env: { TOOLYARD_TITLES: 'on' } };

/** Which preset task a request is for; `answer` for a run. */
function detectTask({ text }: RecordedRequest): 'title' | 'detect' | 'translate' | 'answer' {
  if (text.includes('You name conversations')) return 'title';
  if (text.includes('You detect the language')) return 'detect';
  return text.includes('You translate texts into') ? 'translate' : 'answer';
}

describePage('preset tasks in the page', ({ set, setProcess }) => {
  test('a title appears after the first answer, and the name of a user stays', async () => {
    const stage = await set(
      (request) => (detectTask(request) === 'title' ? reply.text('"Flat bread."') : reply.text('Let it rise longer.')),
      TITLES,
    );
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('my bread is flat');
    await chat.reads('Let it rise longer.');
    const list = page.getByRole('navigation', { name: 'Chats' });
    await list.getByText('Flat bread', { exact: true }).waitFor();
    const id = (await chat.path()).split('/').at(-1) ?? '';
    await call(stage.server.url, 'PATCH', `/api/conversations/${id}`, { title: 'My bread' });
    await list.getByText('My bread', { exact: true }).waitFor();
    await chat.send('and now?');
    await eventually(
      async () => {
        const view = await call<ConversationView>(stage.server.url, 'GET', `/api/conversations/${id}`);
        return view.activeRun === null && view.page.messages.length === 4;
      },
      { what: 'the second answer' },
    );
    await page.reload();
    await list.getByText('My bread', { exact: true }).waitFor();
    expect(stage.model.requests.filter((request) => detectTask(request) === 'title')).toHaveLength(1);
  });

  test('translates an answer into two languages, reports a failure, and removes the translation', async () => {
    let translation = (): ModelReply => reply.text('Lass ihn länger gehen.');
    const stage = await set((request) => {
      const task = detectTask(request);
      if (task === 'detect') return reply.text('{"language":"en"}');
      return task === 'translate' ? translation() : reply.text('Let it rise longer.', { reasoning: 'Secret thought.' });
    });
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('my bread is flat');
    await chat.reads('Let it rise longer.');
    await chat.waitUntilIdle();
    const translate = async (language: string): Promise<void> => {
      await chat.messages.getByRole('button', { name: 'Translate', exact: true }).last().click();
      await page.getByRole('menuitemradio', { name: language, exact: true }).click();
    };
    const shown = (name: string) => chat.messages.getByRole('region', { name });

    await translate('German');
    await shown('English → German').getByText('Lass ihn länger gehen.').waitFor();
    const asked = stage.model.requests.find((request) => detectTask(request) === 'translate');
    expect(asked?.text).not.toContain('Secret thought.');
    await page.reload();
    await shown('English → German').getByText('Lass ihn länger gehen.').waitFor();

    translation = () => reply.error(400, 'no translation');
    await translate('Japanese');
    await shown('English → Japanese').getByRole('alert').waitFor();
    expect(await chat.messages.getByRole('button', { name: 'Translate', exact: true }).last().isEnabled()).toBe(true);
    translation = () => reply.text('もっと発酵させて。');
    await shown('English → Japanese').getByRole('button', { name: 'Try again' }).click();
    await shown('English → Japanese').getByText('もっと発酵させて。').waitFor();

    const id = (await chat.path()).split('/').at(-1) ?? '';
    const view = (): Promise<ConversationView> => call(stage.server.url, 'GET', `/api/conversations/${id}`);
    await eventually(async () => (await view()).translations?.[0]?.to === 'ja', { what: 'the stored translation' });
    const exported = await call(stage.server.url, 'GET', `/api/conversations/${id}/export?format=json`);
    expect(exported).toMatchObject({ translations: [{ from: 'en', to: 'ja' }] });
    await shown('English → Japanese').getByRole('button', { name: 'Remove translation' }).click();
    await shown('English → Japanese').waitFor({ state: 'detached' });
    await eventually(async () => (await view()).translations === undefined, { what: 'the removed translation' });
  });

  test('a server killed while it names a chat and translates a message leaves both as they were', async () => {
    const stage = await setProcess((request): ModelReply => {
      const task = detectTask(request);
      if (task === 'detect') return reply.text('{"language":"en"}');
      return task === 'answer' ? reply.text('Let it rise.') : { ...reply.text(''), writes: [], ending: 'silence' };
    }, TITLES);
    const page = await stage.open();
    const chat = chatPage(page);
    await chat.send('my bread is flat');
    await chat.reads('Let it rise.');
    const waits = (task: string) =>
      eventually(() => stage.model.requests.some((request) => detectTask(request) === task), { what: `the ${task}` });
    await waits('title');
    await chat.messages.getByRole('button', { name: 'Translate', exact: true }).last().click();
    await page.getByRole('menuitemradio', { name: 'German', exact: true }).click();
    await waits('translate');
    await stage.server.kill();
    const region = chat.messages.getByRole('region', { name: /German/ });
    await region.getByRole('alert').waitFor();
    await stage.server.restart(TITLES.env);
    const id = (await chat.path()).split('/').at(-1) ?? '';
    const view = await call<ConversationView>(stage.server.url, 'GET', `/api/conversations/${id}`);
    expect(view).toMatchObject({ title: 'my bread is flat' });
    expect(view.translations).toBeUndefined();
    expect(stage.model.requests.filter((request) => detectTask(request) === 'title')).toHaveLength(1);
  });
});

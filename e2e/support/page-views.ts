import type { Locator, Page } from 'playwright-core';
import type { JsonObject } from '@toolyard/protocol';
import type { McpBehaviour, ModelScript } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './api.ts';
import { chatPage } from './chat-page.ts';
import { askingTool, FORM, FORM_SERVERS } from './form-servers.ts';
import type { Conversations, View } from './page-parts.ts';
import { button, getMessages, pattern, unfoldAll } from './page-parts.ts';
import { mcpViews, SHELF } from './page-mcp-views.ts';
import { SAMPLES, startWork, workViews } from './page-work-views.ts';
import { PROVIDER, serverViews, settingsViews } from './page-settings-views.ts';
import type { PageTexts } from './page-texts.ts';
import { answerViews, PREVIEW_ANSWER } from './page-answer-views.ts';
import { richReply } from './rich-answer.ts';
import type { ScriptedServers } from './scripted-tools.ts';
import { FILES } from './servers-page.ts';
import type { ServerProcess } from './server.ts';
import type { Stage } from './stage.ts';

const ANSWER = [
  '## A heading\n\nSome **bold** and `code`, [a link](https://example.org), 台北今天下雨。',
  '1. one\n2. two\n   - nested\n\n> quoted\n\n- [x] done\n- [ ] open',
  '| City | Time |\n|---|---:|\n| Tokyo | 12:00 |',
  '```ts\nconst answer: number = 42; // comment\n```',
  `A word without end: ${'x'.repeat(300)}`,
].join('\n\n');

/** The servers of {@link VIEWS}. */
export const VIEW_SERVERS: ScriptedServers = {
  counter: { behaviour: 'counting' },
  hotel: { behaviour: FORM_SERVERS.legacy },
};

const URL_REQUEST = { mode: 'url', message: 'Please pay.', elicitationId: 'e1', url: 'https://pay.example.com/x?y=1' };
const SAMPLING = {
  messages: [{ role: 'user', content: { type: 'text', text: 'Say hi' } }],
  systemPrompt: 'Be brief.',
  maxTokens: 100,
};
const SECRET_FORM = {
  mode: 'form',
  message: 'Sign in at the agency',
  requestedSchema: { type: 'object', properties: { password: { type: 'string', title: 'Password' } } },
};
const AGENCY: McpBehaviour = {
  tools: [
    askingTool('agency_pay', 'elicitation/create', URL_REQUEST),
    askingTool('agency_sample', 'sampling/createMessage', SAMPLING),
    askingTool('agency_secret', 'elicitation/create', SECRET_FORM),
    { name: 'agency_list', does: [{ do: 'echo' }] },
    { name: 'agency_read', does: [{ do: 'echo' }] },
    { name: 'agency_fail', does: [{ do: 'fail', text: 'The agency is closed on Mondays.' }] },
    {
      name: 'agency_delete',
      title: 'Delete files',
      description: 'Deletes what a shell pattern names.',
      annotations: { destructiveHint: true, openWorldHint: true },
      inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
    },
  ],
};
/** The servers of {@link MORE_VIEWS}, in addition. */
export const MORE_VIEW_SERVERS: ScriptedServers = {
  agency: { behaviour: AGENCY },
  files: { behaviour: FILES },
  shelf: { behaviour: SHELF },
};

type Messages = { messages: { role: string; content: unknown }[] };

/** Messages with an answer of their own; every other message is answered by a tool call. */
const ANSWERS: Readonly<Record<string, () => ReturnType<typeof reply.text>>> = {
  'No key': () => reply.error(401, 'Incorrect API key provided.'),
  'Cut off': () => reply.text('This answer is cut off in', { finish: 'length' }),
  Filtered: () => reply.text('This answer is', { finish: 'content_filter' }),
  'Broken JSON': () => reply.toolCalls([{ name: 'count', arguments: '{"note": ' }]),
  'Rich answer': richReply,
  'Preview this': () => reply.text(PREVIEW_ANSWER),
  [SAMPLES.delegates]: () =>
    reply.toolCalls([{ name: 'delegate_task', arguments: { tasks: SAMPLES.subTasks.map((task) => ({ ...task })) } }]),
  ...Object.fromEntries(SAMPLES.subTasks.map(({ task }) => [task, () => reply.text('Done, I think.')])),
  [SAMPLES.toGroup]: () => reply.text('A deep blue.'),
  Slowly: () => reply.text('A long answer. '.repeat(40), { hold: { until: new Promise(() => {}) } }),
};

const QUESTION = { question: 'Which city do you mean?' };
/** Arguments of the calls of the scripted model, by tool. */
const ARGUMENTS: Readonly<Record<string, JsonObject>> = {
  agency_delete: { command: 'rm -rf /' },
  ask_user: QUESTION,
  'ask_user choices': { ...QUESTION, choices: ['Cambridge, England', 'Cambridge, Massachusetts'] },
};

/** Calls that run without an approval, the last of which fails. */
const SEVERAL = ['agency_list', 'agency_list', 'agency_read', 'agency_fail'].map((name) => ({ name, arguments: {} }));

export const viewScript: ModelScript = ({ body }) => {
  const last = (body as Messages).messages.at(-1);
  if (last?.role === 'tool') return reply.text(ANSWER, { reasoning: 'A thought.' });
  const content = JSON.stringify(last?.content);
  if (content.includes('Several calls')) return reply.toolCalls(SEVERAL);
  const own = Object.entries(ANSWERS).find(([text]) => content.includes(text));
  if (own) return own[1]();
  const name = /book_room|ask_user|(?:agency|shelf)_\w+/.exec(content)?.[0] ?? 'count';
  const args = ARGUMENTS[content.includes('ask_user choices') ? 'ask_user choices' : name] ?? { note: 'Please' };
  return reply.toolCalls([{ name, arguments: args }], { reasoning: 'Another thought.' });
};

/** Starts the conversations of {@link VIEWS}, in English. */
export async function startConversations(page: Page): Promise<Conversations> {
  const chat = chatPage(page);
  const allow = page.getByRole('button', { name: 'Allow once' });
  await chat.send('台北今天天氣怎麼樣？');
  await allow.click();
  await chat.reads('A heading');
  await chat.waitUntilIdle();
  const answered = await chat.path();
  await chat.anew();
  await chat.send('Please book_room');
  await allow.click();
  await page.getByText('asks you to fill in a form').waitFor();
  const form = await chat.path();
  await chat.anew();
  await chat.send('Ask me.');
  await allow.waitFor();
  return { answered, form, asking: await chat.path() };
}

/** Starts the conversations of {@link MORE_VIEWS}, in English. */
export async function startMoreConversations(page: Page, stage: Stage): Promise<Conversations> {
  const chat = chatPage(page);
  const paths: Record<string, string> = {};
  const start = async (name: string, message: string, shown: () => Locator, allowed = true): Promise<void> => {
    await chat.anew();
    await chat.send(message);
    if (/agency_|shelf_|Count/.test(message) && allowed) await page.getByRole('button', { name: 'Allow once' }).click();
    await shown().first().waitFor();
    paths[name] = await chat.path();
  };
  await start('dangerous', 'Please agency_delete', () => page.getByText('Flagged as dangerous'), false);
  await start('url', 'Please agency_pay', () => page.getByText('pay.example.com'));
  await start('sampling', 'Please agency_sample', () => page.getByText('Be brief.'));
  await start('secret', 'Please agency_secret', () => page.getByText('do not enter any'));
  await start('model', 'Please ask_user', () => page.getByText(QUESTION.question));
  await start('choices', 'Please ask_user choices', () => page.getByText('Cambridge, England'));
  await start('failedCall', 'Please agency_fail', () => chat.messages.getByText('A heading'));
  await start('app', 'Please shelf_open', () => page.locator('[data-app] iframe'));
  await start('rich', 'Rich answer', () => chat.messages.locator('.md-notes'));
  await start('preview', 'Preview this', () => chat.messages.getByText('And in dark'));
  await start('noKey', 'No key', () => page.getByText('Incorrect API key'));
  await start('cutOff', 'Cut off', () => page.getByText('reached the output limit'));
  await start('filtered', 'Filtered', () => page.getByText('content filter'));
  // Its title is shown beside every chat: it must not be a text of the page.
  await start('invalidCall', 'Broken JSON', () => chat.messages.getByText('A heading'));
  await call(stage.server.url, 'POST', '/api/providers', { label: PROVIDER, baseUrl: stage.model.url });
  const transport = { type: 'http', url: stage.model.url };
  await call(stage.server.url, 'POST', '/api/mcp/servers', { id: 'unused', transport, enabled: false });
  const settings = (defaults: object) => call(stage.server.url, 'PUT', '/api/settings/defaults', defaults);
  await settings({ intervention: 'allow-list', interventionRules: [{ decision: 'allow', tool: 'agency/*' }] });
  await start('several', 'Several calls', () => chat.messages.getByText('A heading'));
  await settings({ intervention: 'manual', interventionRules: [] });
  await settings({ budgets: [{ of: 'run', calls: 1 }] });
  await start('budget', 'Count, please', () => page.getByText('Budget used up'));
  await settings({ budgets: [{ of: 'day', dollars: 5 }] });
  return { ...paths, ...(await startWork(stage.server.url)) };
}

const SECTIONS = ['general', 'models', 'tools', 'permissions', 'about'];

/** Contains the most kinds of text and code. */
export const SAMPLE_VIEW = 'a conversation while a message is edited, with the context meter';

/** The views that every test run checks. */
export const VIEWS: readonly View[] = [
  {
    name: 'a new chat with the model list',
    path: () => '/',
    show: async (page, t) => {
      await button(page, t('composer.model', { model: 'scripted' })).click();
      await page.getByPlaceholder(t('models.search')).first().waitFor();
    },
  },
  {
    name: 'the parameters',
    path: () => '/',
    show: async (page, t) => {
      await button(page, t('composer.parameters')).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'the shortcuts',
    needsKeyboard: true,
    path: () => '/',
    show: async (page, t) => {
      await button(page, t('common.shortcuts')).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: SAMPLE_VIEW,
    path: ({ answered = '' }) => answered,
    show: async (page, t) => {
      const messages = getMessages(page, t);
      await messages.getByText('A heading').first().waitFor();
      await unfoldAll(messages);
      await button(messages, t('chat.edit')).first().click();
      await page.getByRole('textbox', { name: t('chat.editLabel') }).waitFor();
      await page.getByRole('button', { name: pattern(t, 'context.label', 'percent') }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'the steps of an answer',
    path: ({ answered = '' }) => answered,
    show: async (page, t) => {
      await button(page, t('chat.steps')).click();
      await page
        .getByRole('list', { name: t('runs.steps') })
        .getByRole('button')
        .first()
        .click();
    },
  },
  {
    name: 'an approval whose arguments are being changed',
    path: ({ asking = '' }) => asking,
    show: async (page, t) => {
      await button(page, t('cards.once')).waitFor();
      await button(page, t('cards.editArguments')).click();
      await page.getByLabel(/^note/).fill('Something else');
      await page.getByText(t('interrupts.youChanged', { count: 1 })).waitFor();
    },
  },
  {
    name: 'the inbox',
    path: () => '/inbox',
    // Of a call with edited arguments the button has a longer name.
    show: (page, t) =>
      page
        .getByRole('article')
        .getByRole('button', { name: t('cards.once') })
        .first()
        .waitFor(),
  },
  ...SECTIONS.map((section) => ({
    name: `settings: ${section}`,
    path: () => `/settings/${section}`,
    show: (page: Page) => page.getByRole('main').getByRole('heading', { level: 2 }).waitFor(),
  })),
  {
    name: 'an unknown path',
    path: () => '/nowhere/at/all',
    show: (page, t) => page.getByRole('heading', { name: t('errors.pageTitle') }).waitFor(),
  },
];

/** Dialogs, cards, errors and empty states beyond {@link VIEWS}. */
export const MORE_VIEWS: readonly View[] = [
  {
    name: 'a new chat',
    path: () => '/',
    show: (page, t) => page.getByRole('heading', { name: t('setup.greeting') }).waitFor(),
  },
  { name: 'an answer', path: ({ answered = '' }) => answered, show: (page) => page.getByText('A heading').waitFor() },
  ...answerViews(),
  {
    name: 'the tools panel',
    path: () => '/',
    show: async (page, t) => {
      await page.getByRole('button', { name: pattern(t, 'composer.tools', 'count') }).click();
      await page.locator('[popover]:popover-open').getByText(t('servers.manage')).waitFor();
    },
  },
  {
    name: 'an approval',
    path: ({ asking = '' }) => asking,
    show: async (page, t) => {
      await button(page, t('cards.refuseMore')).click();
      await page.getByRole('menuitem', { name: t('cards.refuseWhy') }).click();
    },
  },
  {
    name: 'the menu of an approval',
    path: ({ asking = '' }) => asking,
    show: async (page, t) => {
      await button(page, t('cards.allowMore')).click();
      await page.getByRole('menuitem', { name: t('cards.always'), exact: true }).waitFor();
    },
  },
  {
    name: 'consecutive calls',
    path: ({ several = '' }) => several,
    show: (page) => page.locator('[data-call-group]').waitFor({ state: 'attached' }),
  },
  ...Object.entries({
    dangerous: 'cards.once',
    url: 'interrupts.decline',
    sampling: 'interrupts.allow',
    secret: 'interrupts.decline',
    model: 'interrupts.modelTitle',
    choices: 'interrupts.modelTitle',
    form: 'interrupts.decline',
    budget: 'usage.raise',
  }).map(([name, key]) => ({
    name: `an interrupt: ${name}`,
    path: (of: Conversations) => of[name] ?? '',
    show: (page: Page, t: PageTexts) => page.getByText(t(key), { exact: true }).first().waitFor(),
  })),
  {
    name: 'a form with invalid values',
    path: ({ form = '' }) => form,
    show: async (page, t) => {
      await page.getByLabel(FORM.requestedSchema.properties.nights.title).fill('12');
      await button(page, t('interrupts.send')).last().click();
      await page.locator('[data-tool-card] [aria-invalid=true]').first().waitFor();
    },
  },
  ...Object.entries({
    noKey: 'common.retry',
    cutOff: 'chat.length',
    filtered: 'chat.filtered',
  }).map(([name, key]) => ({
    name: `an answer: ${name}`,
    path: (of: Conversations) => of[name] ?? '',
    show: (page: Page, t: PageTexts) => page.getByText(t(key)).first().waitFor(),
  })),
  {
    name: 'an answer: invalidCall',
    path: ({ invalidCall = '' }) => invalidCall,
    show: async (page, t) => {
      await page.getByText('A heading').waitFor();
      await page.locator('#content').hover();
      await page.mouse.wheel(0, -5000);
      await getMessages(page, t).locator('[data-tool-card]').first().waitFor();
    },
  },
  {
    name: 'a failed call',
    path: ({ failedCall = '' }) => failedCall,
    show: async (page, t) => {
      await page.getByText('A heading').waitFor();
      await unfoldAll(getMessages(page, t));
    },
  },
  {
    name: 'queued messages',
    path: () => '/',
    show: async (page, t) => {
      for (const [text, label] of [
        ['Slowly', 'composer.send'],
        ['Then this.', 'composer.queue'],
        ['And this.', 'composer.queue'],
      ] as const) {
        await sendWith(page, t, { text, label });
        await page.getByText(text).first().waitFor();
      }
      await page.getByRole('region', { name: t('composer.queueTitle', { count: 2 }) }).waitFor();
    },
  },
  {
    name: 'a stopped answer',
    path: () => '/',
    show: async (page, t) => {
      await sendWith(page, t, { text: 'Slowly', label: 'composer.send' });
      await page.getByText('A long answer').first().waitFor();
      await button(page, t('composer.stop')).click();
      await page.getByText(t('chat.stopped')).waitFor();
    },
  },
  {
    name: 'the menu of a chat',
    path: ({ answered = '' }) => answered,
    show: async (page, t) => {
      await page
        .getByRole('button', { name: pattern(t, 'sidebar.menu', 'title') })
        .first()
        .click();
      await page.getByRole('menu').waitFor();
    },
  },
  {
    name: 'an unknown chat',
    path: () => '/c/00000000-0000-7000-8000-000000000000',
    show: (page, t) => page.getByText(t('errors.conversationTitle')).first().waitFor(),
  },
  ...serverViews(),
  ...mcpViews(),
  ...settingsViews(),
  ...workViews(),
  // Last: the search and the lost connection stay while the page moves on.
  {
    name: 'a search without results',
    path: () => '/',
    show: async (page, t) => {
      const field = page.getByLabel(t('sidebar.searchLabel'));
      const opener = button(page, t('sidebar.show'));
      // On phones the sidebar is hidden, and its field inert.
      await eventually(
        async () => (await opener.isVisible()) || ((await field.isVisible()) && (await field.isEnabled())),
      );
      if (await opener.isVisible()) await opener.click();
      await field.fill('zzzz');
      await page
        .getByText(t('sidebar.nothingFound', { query: 'zzzz' }))
        .first()
        .waitFor();
    },
  },
  {
    name: 'a deleted chat',
    path: () => '/',
    show: async (page, t) => {
      await sendWith(page, t, { text: 'Filtered', label: 'composer.send' });
      await page.getByText(t('chat.filtered')).waitFor();
      // The answer may arrive before its message has led the page to the chat, which closes an open menu.
      await page.waitForURL(/\/c\//);
      await button(page, t('composer.stop')).waitFor({ state: 'detached' });
      const menu = page.locator('header').getByRole('button', { name: pattern(t, 'sidebar.menu', 'title') });
      await menu.click();
      await page.getByRole('menuitem', { name: t('sidebar.delete') }).click();
      await page.getByText(pattern(t, 'sidebar.deleted', 'title')).waitFor();
    },
  },
  {
    name: 'a lost connection',
    path: ({ answered = '' }) => answered,
    show: async (page, t) => {
      await page.route('**/api/events*', (route) => route.abort());
      await page.reload();
      await page.getByTitle(t('common.connectionLost')).waitFor();
    },
  },
];

/** Starts the conversation of {@link IN_DOUBT_VIEWS}, in English: the server is killed while the tool runs. */
export async function startCallInDoubt(page: Page, stage: Stage<ServerProcess>): Promise<Conversations> {
  const chat = chatPage(page);
  await chat.send('Please agency_mail');
  await page.getByRole('button', { name: 'Allow once' }).click();
  await chat.card('agency_mail').getByText('Running').waitFor();
  const inDoubt = await chat.path();
  await stage.server.restart();
  await page.getByText('take effect?').waitFor();
  return { inDoubt };
}

/** The server of {@link IN_DOUBT_VIEWS}. */
export const IN_DOUBT_SERVERS: ScriptedServers = {
  agency: { behaviour: { tools: [{ name: 'agency_mail', does: [{ do: 'never' }] }] } },
};

/** A call whose result was lost, in the chat and in the inbox. */
export const IN_DOUBT_VIEWS: readonly View[] = [
  {
    name: 'a call in doubt',
    path: ({ inDoubt = '' }) => inDoubt,
    show: (page, t) =>
      page
        .getByText(t('cards.doubtTitle', { tool: 'agency_mail' }))
        .first()
        .waitFor(),
  },
  {
    name: 'a call in doubt: its result',
    path: ({ inDoubt = '' }) => inDoubt,
    show: async (page, t) => {
      await page
        .locator('[data-interrupt]')
        .getByRole('button', { name: t('cards.itWorked') })
        .click();
      await page.getByText(t('cards.whatCameHint')).waitFor();
    },
  },
  {
    name: 'a call in doubt in the inbox',
    path: () => '/inbox',
    show: (page, t) =>
      page
        .getByText(t('cards.doubtTitle', { tool: 'agency_mail' }))
        .first()
        .waitFor(),
  },
];

/** On touch screens Enter adds a line. */
async function sendWith(page: Page, t: PageTexts, { text, label }: { text: string; label: string }): Promise<void> {
  await page.getByRole('textbox', { name: t('composer.message'), exact: true }).fill(text);
  await button(page, t(label)).click();
}

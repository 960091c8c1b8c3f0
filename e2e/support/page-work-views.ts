import type { Page } from 'playwright-core';
import type { ProviderView, SentMessage } from '@toolyard/protocol';
import { eventually } from '@toolyard/testing';
import { call } from './api.ts';
import type { Conversations, View } from './page-parts.ts';
import { button, getMessages } from './page-parts.ts';
import type { PageTexts } from './page-texts.ts';

/** Names and messages of the samples: none of them is a text of the page. */
export const SAMPLES = {
  delegates: 'Plan the day with helpers',
  subTasks: [
    { title: 'Forecast of today', task: 'Look up the forecast' },
    { title: 'Paint for the wall', task: 'Pick a paint' },
  ],
  toGroup: 'Which paint is best?',
} as const;

/** Agents, a group, a schedule, an incoming webhook, and runs with sub-agents and members. Returns paths by name. */
export async function startWork(url: string): Promise<Conversations> {
  const { items: providers } = await call<{ items: ProviderView[] }>(url, 'GET', '/api/providers');
  const providerId = providers.find(({ origin }) => origin === 'environment')?.id ?? '';
  const model = { providerId, modelId: 'scripted' };
  for (const [id, title, avatar] of [
    ['ada', 'Ada', '🦊'],
    ['bea', 'Bea', '🐻'],
  ]) {
    const configuration = { model, instructions: `You are ${String(title)}, a painter.` };
    const profile = { avatar, description: 'Paints walls and gives advice on colors', tags: ['walls', 'colors'] };
    await call(url, 'POST', '/api/agents', { id, title, profile, configuration });
  }
  const members = [{ agentId: 'ada' }, { agentId: 'bea' }];
  await call(url, 'POST', '/api/groups', { id: 'painters', title: 'Painters', members, mode: { kind: 'round_robin' } });
  await call(url, 'POST', '/api/schedules', {
    id: 'plants',
    title: 'Plants on the balcony',
    task: 'Remind me of the plants',
    timing: { kind: 'cron', expression: '0 9 * * 1-5' },
    configuration: { model },
  });
  const signature = { kind: 'hmac', header: 'x-signature', algorithm: 'sha256', encoding: 'hex' };
  const template = 'Sort {{title}}';
  await call(url, 'POST', '/api/triggers', { title: 'Bugs of the app', agentId: 'ada', template, signature });

  const configuration = { model, servers: { 'sub-agents': true } };
  await call(url, 'POST', '/api/conversations', { id: 'delegating', title: 'Day of painting', configuration });
  await call(url, 'POST', '/api/conversations', { id: 'painting', title: 'Talk of painters', groupId: 'painters' });
  const run = await completeRun(url, 'delegating', SAMPLES.delegates);
  await completeRun(url, 'painting', SAMPLES.toGroup);
  return { delegating: '/c/delegating', painting: '/c/painting', runTree: `/runs/${run}` };
}

/** Sends a message; returns the id of its run, which has ended. */
async function completeRun(url: string, conversation: string, text: string): Promise<string> {
  const parts = [{ type: 'text', text }];
  const sent = await call<SentMessage>(url, 'POST', `/api/conversations/${conversation}/messages`, { parts });
  if (!('run' in sent)) throw new Error(`"${text}" started no run: ${JSON.stringify(sent)}`);
  const { id } = sent.run;
  const isDone = async (): Promise<boolean> =>
    (await call<{ status: string }>(url, 'GET', `/api/runs/${id}`)).status === 'done';
  await eventually(isDone, { what: `the end of "${text}"` });
  return id;
}

const heading = (page: Page): Promise<void> => page.getByRole('main').getByRole('heading').first().waitFor();

/** Agents, groups, runs, schedules and webhooks. */
export function workViews(): View[] {
  const sections = ['tasks', 'skills', 'memory', 'schedules'];
  return [
    {
      name: 'the agents',
      path: () => '/agents',
      show: (page) => page.getByRole('main').getByText('Painters').first().waitFor(),
    },
    {
      name: 'an agent',
      path: () => '/agents/ada',
      show: async (page, t) => {
        const field = page.getByRole('textbox', { name: t('agents.name'), exact: true });
        await eventually(async () => (await field.inputValue()) === 'Ada');
      },
    },
    { name: 'a new agent', path: () => '/agents/new', show: (page, t) => button(page, t('agents.save')).waitFor() },
    {
      name: 'a group',
      path: () => '/groups/painters',
      show: (page, t) =>
        page
          .getByRole('list', { name: t('groups.members') })
          .getByText('Bea')
          .waitFor(),
    },
    {
      name: 'a new group',
      path: () => '/groups/new',
      show: (page, t) => page.getByText(t('groups.problem_title')).waitFor(),
    },
    {
      name: 'a chat of a group',
      path: ({ painting = '' }) => painting,
      show: async (page, t) => {
        await page
          .getByRole('region', { name: t('groups.strip'), exact: true })
          .getByText('Painters')
          .waitFor();
        await getMessages(page, t).getByText('A deep blue.').last().waitFor();
      },
    },
    {
      name: 'a chat with sub-agents',
      path: ({ delegating = '' }) => delegating,
      show: (page, t) => subAgentsShown(page, t),
    },
    {
      name: 'the runs',
      path: () => '/runs',
      show: (page, t) =>
        page
          .getByRole('list', { name: t('runList.title') })
          .getByRole('link')
          .first()
          .waitFor(),
    },
    {
      name: 'a tree of runs',
      path: ({ runTree = '' }) => runTree,
      show: (page, t) =>
        page
          .getByRole('tree', { name: t('runList.tree') })
          .getByRole('treeitem')
          .nth(2)
          .waitFor(),
    },
    ...sections.map((section) => ({
      name: `settings: ${section}`,
      path: () => `/settings/${section}`,
      show: heading,
    })),
    {
      name: 'a schedule',
      path: () => '/settings/schedules?schedule=plants',
      show: async (page) => {
        await page.locator('ol time').nth(4).waitFor();
      },
    },
    {
      name: 'a new schedule with invalid values',
      path: () => '/settings/schedules?schedule=new',
      show: async (page, t) => {
        await button(page, t('schedules.create')).click();
        await page.getByText(t('schedules.required')).first().waitFor();
      },
    },
    {
      name: 'a new incoming webhook with invalid values',
      path: () => '/settings/access',
      show: async (page, t) => {
        await button(page, t('access.hookCreate')).click();
        await button(page, t('access.hookSave')).click();
        await page.getByText(t('access.hookMissing')).first().waitFor();
      },
    },
  ];
}

async function subAgentsShown(page: Page, t: PageTexts): Promise<void> {
  const list = page.getByRole('list', { name: t('subAgents.list') });
  await list.getByText(SAMPLES.subTasks[0].title).first().waitFor();
  await getMessages(page, t).getByText('A heading').first().waitFor();
}

import type { Page } from 'playwright-core';
import { reply } from '@toolyard/testing';
import type { PageTexts } from '../support/page-texts.ts';
import type { View } from '../support/page-parts.ts';
import { navigate } from '../support/page-parts.ts';
import type { Stage } from '../support/stage.ts';
import { readAccessToken, setStage } from '../support/stage.ts';

/** A server without models, MCP servers and conversations. */
export function setEmptyStage(): Promise<Stage> {
  return setStage(() => reply.text('Unused.'), { env: { OPENAI_BASE_URL: undefined, OPENAI_API_KEY: undefined } });
}

const settled = async (page: Parameters<View['show']>[0]): Promise<void> => {
  await page.locator('h1, h2, textarea').first().waitFor();
  await page.waitForTimeout(500);
};

export const EMPTY_VIEWS: readonly View[] = [
  { name: 'empty: no model', path: () => '/', show: settled },
  ...['inbox', 'agents', 'runs'].map((name) => ({ name: `empty: ${name}`, path: () => `/${name}`, show: settled })),
  ...['general', 'models', 'tools', 'skills', 'memory', 'schedules', 'permissions', 'usage', 'access'].map(
    (section) => ({
      name: `empty: ${section}`,
      path: () => `/settings/${section}`,
      show: settled,
    }),
  ),
];

/** A server that requires its access token. */
export function setSignInStage(): Promise<Stage> {
  return setStage(() => reply.text('Unused.'), { signIn: 'by hand' });
}

/** Views before the sign-in, and those that exist only with an access token. */
export function signInViews({ server }: Stage): View[] {
  const token = readAccessToken(server);

  async function enter(page: Page, t: PageTexts, text: string): Promise<void> {
    const field = page.getByLabel(t('common.tokenLabel'));
    await field.pressSequentially(text);
    await field.press('Enter');
  }

  const openKeyForm = (page: Page, t: PageTexts): Promise<void> =>
    page.getByRole('button', { name: t('access.keyCreate') }).click();

  return [
    {
      name: 'sign in',
      path: () => '/',
      show: (page, t) => page.getByLabel(t('common.tokenLabel')).waitFor(),
    },
    {
      name: 'sign in with a wrong token',
      path: () => '/',
      show: async (page, t) => {
        await enter(page, t, 'not-the-access-token');
        await page.getByText(t('common.tokenWrong')).waitFor();
      },
    },
    {
      name: 'access with a token',
      path: () => '/settings/access',
      show: async (page, t) => {
        await page.getByLabel(t('common.tokenLabel')).fill('');
        await enter(page, t, token);
        await page.getByRole('button', { name: t('access.keyCreate') }).waitFor();
      },
    },
    {
      name: 'a new API key without a name',
      path: () => '/settings/access',
      show: async (page, t) => {
        await openKeyForm(page, t);
        await page
          .locator('form')
          .getByRole('button', { name: t('access.keyCreate') })
          .click();
        await page.getByText(t('access.keyNameMissing')).scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'a new API key',
      path: () => '/settings/access',
      show: async (page, t) => {
        const form = page.locator('form');
        if ((await form.count()) === 0) await openKeyForm(page, t);
        await page.getByLabel(t('access.keyName')).fill('Build server');
        await form.getByRole('button', { name: t('access.keyCreate') }).click();
        await page.getByText(t('access.keyCreated')).scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'an ended session',
      path: () => '/',
      show: async (page, t) => {
        await page.context().clearCookies();
        await navigate(page, '/settings/usage');
        await page.getByRole('dialog', { name: t('common.expiredTitle') }).waitFor();
      },
    },
  ];
}

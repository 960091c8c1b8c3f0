import { reply } from '@toolyard/testing';
import type { View } from '../support/page-views.ts';
import type { Stage } from '../support/stage.ts';
import { setStage } from '../support/stage.ts';

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
  { name: 'empty: inbox', path: () => '/inbox', show: settled },
  ...['general', 'models', 'tools', 'permissions', 'usage', 'access'].map((section) => ({
    name: `empty: ${section}`,
    path: () => `/settings/${section}`,
    show: settled,
  })),
];

/** A server that requires its access token. */
export function setSignInStage(): Promise<Stage> {
  return setStage(() => reply.text('Unused.'), { token: true });
}

export const SIGN_IN_VIEWS: readonly View[] = [
  {
    name: 'sign in',
    path: () => '/',
    show: (page, t) => page.getByLabel(t('common.tokenLabel')).waitFor(),
  },
  {
    name: 'sign in with a wrong token',
    path: () => '/',
    show: async (page, t) => {
      const field = page.getByLabel(t('common.tokenLabel'));
      await field.pressSequentially('not-the-access-token');
      await field.press('Enter');
      await page.getByText(t('common.tokenWrong')).waitFor();
    },
  },
];

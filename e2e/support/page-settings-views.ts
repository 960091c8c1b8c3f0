import type { Locator, Page } from 'playwright-core';
import type { View } from './page-parts.ts';
import { button, unfoldAll } from './page-parts.ts';
import type { PageTexts } from './page-texts.ts';

/** A provider that can be removed. */
export const PROVIDER = 'Office';

export function serverViews(): View[] {
  const openForm = async (page: Page, t: PageTexts): Promise<Locator> => {
    await button(page, t('mcp.add')).click();
    return page.getByRole('dialog', { name: t('mcp.newTitle') });
  };
  const kinds: Readonly<Record<string, string>> = {
    command: 'mcp.kindProgram',
    url: 'mcp.kindAddress',
    hosted: 'mcp.kindHosted',
  };
  const tabs: Readonly<Record<string, string>> = { tools: 'mcp.tabTools', about: 'mcp.tabAbout', log: 'mcp.tabLog' };
  return [
    ...Object.entries(kinds).map(([name, key]) => ({
      name: `new server: ${name}`,
      path: () => '/settings/tools',
      show: async (page: Page, t: PageTexts) => {
        const form = await openForm(page, t);
        await form.getByText(t(key), { exact: true }).click();
        await button(form, t('common.save')).click();
        await form.getByText(t('mcp.name_missing')).waitFor();
      },
    })),
    {
      name: 'new server: paste',
      path: () => '/settings/tools',
      show: async (page, t) => {
        const form = await openForm(page, t);
        await button(form, t('mcp.paste')).click();
        await form.getByLabel(t('mcp.pasteLabel')).fill('{ "mcpServers": {\n  "web": \n');
        await button(form, t('mcp.pasteRead')).click();
        await form.locator('[aria-invalid=true]').waitFor();
      },
    },
    ...Object.entries(tabs).map(([name, key]) => ({
      name: `a server: ${name}`,
      path: () => '/settings/tools?server=files',
      show: async (page: Page, t: PageTexts) => {
        await page.getByRole('tab', { name: t(key) }).click();
        if (name === 'tools') await unfoldAll(page.getByRole('tabpanel'));
      },
    })),
    {
      name: 'a server to remove',
      path: () => '/settings/tools',
      show: async (page, t) => {
        await button(page, t('mcp.actions', { server: 'unused' })).click();
        await page.getByRole('menuitem', { name: t('mcp.remove') }).click();
        await page.getByRole('dialog').waitFor();
      },
    },
    {
      name: 'an unknown server',
      path: () => '/settings/tools?server=nothing',
      show: (page, t) => page.getByText(t('mcp.notThere')).waitFor(),
    },
  ];
}

export function settingsViews(): View[] {
  const inSettings = (section: string): string => `/settings/${section}`;
  return [
    {
      name: 'settings: access',
      path: () => inSettings('access'),
      show: (page) => page.getByRole('main').getByText('--no-token').waitFor(),
    },
    {
      name: 'settings: usage',
      path: () => inSettings('usage'),
      show: (page, t) => page.getByRole('table', { name: t('usage.table') }).waitFor(),
    },
    {
      name: 'new provider',
      path: () => inSettings('models'),
      show: async (page, t) => {
        await button(page, t('settings.addProvider')).click();
        const form = page.getByRole('dialog');
        await button(form, t('common.save')).click();
        await form.locator('[aria-invalid=true]').first().waitFor();
      },
    },
    {
      name: 'a known provider',
      path: () => inSettings('models'),
      show: async (page, t) => {
        await button(page, t('settings.addProvider')).click();
        await page.getByRole('dialog').locator('button[aria-haspopup=dialog]').first().click();
        await page.getByRole('combobox', { name: t('settings.providerSearch') }).fill('anthropic');
        await page.getByRole('option').first().click();
      },
    },
    {
      name: 'a provider to remove',
      path: () => inSettings('models'),
      show: async (page, t) => {
        await button(page, t('settings.removeProvider', { provider: PROVIDER })).click();
        await page.getByRole('dialog', { name: t('settings.removeProviderTitle', { provider: PROVIDER }) }).waitFor();
      },
    },
    {
      name: 'calls without approval, to confirm',
      path: () => inSettings('permissions'),
      show: async (page, t) => {
        await page.locator('select:has(option[value=auto])').first().selectOption('auto');
        await page.getByRole('dialog', { name: t('settings.autoTitle') }).waitFor();
      },
    },
    {
      name: 'a rule, and a tried call',
      path: () => inSettings('permissions'),
      show: async (page, t) => {
        await button(page, t('rules.add')).click();
        await button(page, t('common.save')).first().click();
        await page.getByText(t('rules.empty')).waitFor();
      },
    },
    {
      name: 'a budget without a limit',
      path: () => inSettings('permissions'),
      show: async (page, t) => {
        await button(page, t('usage.addBudget')).first().click();
        await page.getByText(t('usage.noAmountProblem')).first().waitFor();
      },
    },
  ];
}

import type { Locator, Page } from 'playwright-core';
import type { McpBehaviour } from '@toolyard/testing';
import type { View } from './page-parts.ts';
import { button, pattern } from './page-parts.ts';
import type { PageTexts } from './page-texts.ts';

const APP = 'ui://shelf/app';
const APP_TYPE = 'text/html;profile=mcp-app';

/** An app that only starts. */
const APP_HTML = `<!doctype html><body><h1>Shelf 7</h1><p>Three books.</p><script>
  const send = (message) => parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  addEventListener('message', ({ data }) => {
    if (data.id === 1) send({ method: 'ui/notifications/initialized' });
  });
  send({ id: 1, method: 'ui/initialize', params: {
    appInfo: { name: 'shelf', version: '1' }, appCapabilities: {}, protocolVersion: '2026-01-26',
  } });
</script></body>`;

const ICON =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 8"><path fill="#a3541a" d="M1 1h2v6H1zM4 1h3v6H4z"/></svg>';
const MARKDOWN =
  '# Architecture\n\nA page with a [link](https://example.org) and a table.\n\n| A | B |\n|---|---|\n| 1 | 2 |';
const resource = (uri: string, name: string, title?: string) => ({
  uri,
  name,
  mimeType: 'text/markdown',
  ...(title === undefined ? {} : { title }),
});

/** A server with everything that the page shows of one: an app, resources, templates and prompts. */
export const SHELF: McpBehaviour = {
  serverInfo: {
    name: 'shelf',
    version: '2.0.1',
    title: 'Books and papers',
    icons: [{ src: `data:image/svg+xml,${encodeURIComponent(ICON)}` }],
  },
  capabilities: { resources: {}, prompts: {} },
  tools: [
    {
      name: 'shelf_open',
      title: 'Open shelf',
      _meta: { ui: { resourceUri: APP } },
      does: [{ do: 'text', text: 'Three books.' }],
    },
    {
      name: 'shelf_find',
      description: 'Finds books.',
      annotations: { readOnlyHint: true },
      inputSchema: {
        type: 'object',
        properties: {
          title: { type: 'string', description: 'Words of the title' },
          kind: { type: 'string', enum: ['novel', 'paper'] },
          pages: { type: 'integer', minimum: 1 },
        },
        required: ['title'],
      },
      does: [{ do: 'echo' }],
    },
  ],
  answers: {
    'resources/list': {
      result: {
        resources: [
          resource('book://library/docs/architecture.md', 'architecture.md', 'Architecture'),
          resource('book://library/docs/guide.md', 'guide.md'),
          resource('book://library/notes/a-name-that-is-much-longer-than-the-column-of-the-tree.md', 'long.md'),
          resource('memo://today', 'Notes of today'),
        ],
      },
    },
    'resources/templates/list': {
      result: { resourceTemplates: [{ uriTemplate: 'book://library/{shelf}/{book}', name: 'Book', title: 'A book' }] },
    },
    'resources/read': {
      result: {
        contents: [
          { uri: 'book://library/docs/architecture.md', mimeType: 'text/markdown', text: MARKDOWN },
          { uri: APP, mimeType: APP_TYPE, text: APP_HTML },
        ],
      },
    },
    'prompts/list': {
      result: {
        prompts: [
          {
            name: 'summary',
            title: 'Summarize a book',
            description: 'Writes a summary in a style.',
            arguments: [
              { name: 'book', description: 'Its title', required: true },
              { name: 'style', description: 'Short or long' },
            ],
          },
          { name: 'today', title: 'What to read today' },
        ],
      },
    },
    'prompts/get': {
      result: { messages: [{ role: 'user', content: { type: 'text', text: 'Summarize the book.' } }] },
    },
  },
};

const SERVER = '/settings/tools?server=shelf';

/** The page of a server for developers, and what servers offer in the composer. */
export function mcpViews(): View[] {
  const panel = (page: Page): Locator => page.getByRole('tabpanel');

  async function openMenu(page: Page, t: PageTexts, text: string, shown: string): Promise<void> {
    const composer = page.getByRole('textbox', { name: t('composer.message'), exact: true });
    await composer.fill('');
    await composer.pressSequentially(text);
    await page.getByRole('listbox').getByRole('option', { name: shown }).first().waitFor();
  }

  return [
    {
      name: 'a server: resources',
      path: () => `${SERVER}&view=resources`,
      show: async (page) => {
        await panel(page).getByRole('treeitem', { name: 'Architecture' }).click();
        await panel(page).getByRole('article').getByRole('heading', { name: 'Architecture' }).first().waitFor();
      },
    },
    {
      name: 'a server: prompts',
      path: () => `${SERVER}&view=prompts`,
      show: async (page, t) => {
        await panel(page)
          .getByRole('button', { name: /Summarize a book/ })
          .click();
        await button(panel(page), t('inspect.preview')).first().click();
        await panel(page).getByText(t('inspect.valueMissing')).first().waitFor();
      },
    },
    {
      name: 'a server: tasks',
      path: () => `${SERVER}&view=tasks`,
      show: (page, t) => panel(page).getByText(t('inspect.tasksIntro')).waitFor(),
    },
    {
      name: 'a tool tester',
      path: () => SERVER,
      show: async (page, t) => {
        await panel(page)
          .getByRole('button', { name: /shelf_find/ })
          .first()
          .click();
        await button(panel(page), t('inspect.test')).click();
        const sheet = page.getByRole('dialog');
        await sheet.getByRole('textbox', { name: /^title/ }).fill('Tides');
        await button(sheet, t('inspect.run')).click();
        await sheet.getByRole('region', { name: t('inspect.raw') }).waitFor();
      },
    },
    {
      name: 'an app in an answer',
      path: ({ app = '' }) => app,
      show: async (page) => {
        const inner = page.locator('[data-app] iframe').contentFrame().locator('iframe').contentFrame();
        await inner.getByRole('heading', { name: 'Shelf 7' }).waitFor();
        await page.locator('[data-app]').scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'the menu of the composer: commands and prompts',
      path: () => '/',
      show: (page, t) => openMenu(page, t, '/', 'Summarize a book'),
    },
    {
      name: 'the menu of the composer: resources and files',
      path: () => '/',
      show: (page, t) => openMenu(page, t, '@', 'Notes of'),
    },
    {
      name: 'a prompt with arguments',
      path: () => '/',
      show: async (page, t) => {
        await openMenu(page, t, '/', 'Summarize a book');
        await page.getByRole('option', { name: 'Summarize a book' }).first().click();
        const dialog = page.getByRole('dialog');
        await button(dialog, t('offers.usePrompt')).click();
        await dialog.getByText(t('offers.required')).first().waitFor();
      },
    },
    {
      name: 'the list of the context',
      path: ({ several = '' }) => several,
      show: async (page, t) => {
        await openMenu(page, t, '@', 'Notes of');
        await page.getByRole('option', { name: 'Notes of today' }).first().click();
        await page
          .getByRole('list', { name: t('composer.attachments') })
          .getByText('Notes of today')
          .waitFor();
        await page.getByRole('button', { name: pattern(t, 'context.label', 'percent') }).click();
        await page.getByRole('region', { name: t('context.list') }).scrollIntoViewIfNeeded();
      },
    },
    {
      name: 'an attached resource',
      path: ({ several = '' }) => several,
      show: async (page, t) => {
        const attached = page.getByRole('list', { name: t('composer.attachments') });
        await attached.getByRole('button', { name: /Today/ }).first().click();
        await page.getByRole('dialog').getByText('Architecture').first().waitFor();
      },
    },
  ];
}

import type { Page } from 'playwright-core';
import type { View } from './page-parts.ts';
import { button, getMessages, pattern } from './page-parts.ts';
import type { PageTexts } from './page-texts.ts';
import { scrollTo } from './scroll-to.ts';

const page = (background: string, more: string): string =>
  [
    '```html clock.html',
    '<!doctype html>',
    '<title>Clock</title>',
    `<style>body { background: ${background}; color: gray; font: 1.5rem system-ui; text-align: center }</style>`,
    '<h1>12:00</h1>',
    `<script>${more}</script>`,
    '```',
  ].join('\n');

/** Two versions of a page, of which the second fails and asks for a host. */
export const PREVIEW_ANSWER = [
  'A clock:',
  page('white', 'let ticks = 0;'),
  'And in dark:',
  page('#111', "fetch('https://time.example.com/now').catch(() => {}); startClock();"),
].join('\n\n');

/** What the browser logs about the second version. */
export const PREVIEW_COMPLAINTS = /time\.example\.com|startClock is not defined/;

async function openPreview(page: Page, t: PageTexts): Promise<void> {
  await button(getMessages(page, t), t('rich.preview')).last().click();
  const panel = page.getByRole('complementary', { name: /Clock$/ });
  await panel.locator('iframe').contentFrame().locator('iframe').contentFrame().getByText('12:00').waitFor();
  await button(panel, t('previews.fix')).waitFor();
}

/** Rich answers, and the panel beside the chat. */
export function answerViews(): View[] {
  return [
    {
      name: 'a rich answer: formulas and alerts',
      path: ({ rich = '' }) => rich,
      show: async (page) => {
        await page.locator('.md-notes').waitFor();
        await scrollTo(page.locator('[data-alert]').first());
        await page.locator('.katex').first().waitFor();
      },
    },
    {
      name: 'a rich answer: tables, code and a diagram',
      path: ({ rich = '' }) => rich,
      show: async (page) => {
        await page.locator('.md-notes').waitFor();
        await scrollTo(page.locator('.md-diagram'));
        await page.locator('.md-diagram img').waitFor();
      },
    },
    {
      name: 'a preview',
      path: ({ preview = '' }) => preview,
      show: openPreview,
    },
    {
      name: 'a preview: changes between versions',
      path: ({ preview = '' }) => preview,
      show: async (page, t) => {
        await openPreview(page, t);
        await page.getByText(t('previews.changes'), { exact: true }).click();
        await page
          .getByRole('group', { name: t('previews.changes') })
          .getByText('startClock')
          .waitFor();
      },
    },
    {
      name: 'a preview: a host it asks for',
      path: ({ preview = '' }) => preview,
      show: async (page, t) => {
        await openPreview(page, t);
        await page.getByRole('button', { name: pattern(t, 'previews.allow', 'host') }).click();
        await page.getByRole('dialog').getByText('https://time.example.com').waitFor();
      },
    },
  ];
}

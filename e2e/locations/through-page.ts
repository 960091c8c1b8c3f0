import type { Page } from 'playwright-core';
import { chatPage } from '../support/chat-page.ts';
import type { Stage } from '../support/stage.ts';
import { load, signInFragment } from '../support/stage.ts';
import type { ConversationClient } from './over-http.ts';

/** A page that executes runs in the tab, with a browser server. */
export async function openOwnTab(stage: Stage, mcp: string): Promise<Page> {
  // A small page of the server: the browser's storage is filled before the page is loaded.
  const page = await stage.open('/health');
  await page.evaluate((url) => {
    const server = { id: 'browser-notes', name: 'Notes', transport: 'http', url };
    localStorage.setItem('toolyard:mcp-servers:1', JSON.stringify([server]));
    localStorage.setItem('toolyard:run-place:1', '"tab"');
  }, mcp);
  await load(page, stage.line.url + (await signInFragment(stage.server.url)));
  return page;
}

/** A client that uses the page. */
export async function throughPage(page: Page, base: string, conversationId: string): Promise<ConversationClient> {
  await navigate(page, `${base}/c/${conversationId}`);
  await page.getByLabel('Run answers').waitFor();
  const chat = chatPage(page);
  return {
    async say(text) {
      await chat.waitUntilIdle();
      await chat.send(text);
    },
    async steer(text) {
      await chat.composer.fill(text);
      await page.getByRole('button', { name: 'Send options' }).click();
      const sent = page.waitForResponse((response) => response.url().endsWith(`${conversationId}/messages`));
      await page.getByRole('menuitem', { name: 'Add to the current answer' }).click();
      await sent;
    },
    async continue() {
      await chat.waitUntilIdle();
      await chat.messages.getByRole('button', { name: 'Continue' }).last().click();
    },
  };
}

/** Follows a link, so that the page does not reload. */
async function navigate(page: Page, url: string): Promise<void> {
  await page.getByRole('main').waitFor();
  await page.evaluate<unknown>(`(() => {
    const link = document.createElement('a');
    link.href = ${JSON.stringify(url)};
    document.querySelector('main').append(link);
    link.click();
    link.remove();
  })()`);
  await page.waitForURL(url);
}

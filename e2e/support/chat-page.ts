import type { Locator, Page } from 'playwright-core';

/** Actions of a user in a conversation. */
export function chatPage(page: Page) {
  const messages = page.getByRole('main').getByLabel('Messages');
  const composer = page.getByRole('textbox', { name: 'Message', exact: true });
  return {
    messages,
    composer,
    async send(text: string): Promise<void> {
      await composer.fill(text);
      await composer.press('Enter');
    },
    /** Resolves when the composer belongs to the new chat instead of the previous one. */
    async anew(): Promise<void> {
      await page.getByRole('link', { name: 'New chat' }).first().click();
      await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    },
    /** Attaches a file, and resolves when the page has read it: nothing can be sent before. */
    async attach(file: { name: string; mimeType: string; buffer: Buffer }): Promise<void> {
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('button', { name: `Remove ${file.name}` }).waitFor();
      await page.getByText('Reading…', { exact: true }).waitFor({ state: 'detached' });
    },
    /**
     * The path of the conversation, once its first message has led the page there: an answer may arrive before that,
     * and a reload would show a new chat.
     */
    async path(): Promise<string> {
      await page.waitForURL(/\/c\//);
      return new URL(page.url()).pathname;
    },
    /** Resolves when the text is shown in the conversation. */
    reads: (text: string | RegExp): Promise<void> => messages.getByText(text).first().waitFor(),
    /** Resolves when no run is in progress. */
    async waitUntilIdle(): Promise<void> {
      await page.getByRole('button', { name: 'Stop', exact: true }).waitFor({ state: 'detached' });
    },
    /** All text shown in the conversation. */
    text: (): Promise<string> => messages.innerText(),
    card: (tool: string): Locator => messages.getByRole('group', { name: new RegExp(tool) }),
    /** Expands everything: reasoning, tool cards, long texts. Not by pointer: each expansion moves the next. */
    async unfoldAll(): Promise<void> {
      const folded = messages.locator('[aria-expanded=false]:not([aria-haspopup])');
      for (let left = 20; left > 0 && (await folded.count()) > 0; left--) await folded.first().dispatchEvent('click');
    },
    stop: (): Promise<void> => page.getByRole('button', { name: 'Stop', exact: true }).click(),
  };
}

/** Number of occurrences of a text in another. */
export function countOccurrences(piece: string, text: string): number {
  return text.split(piece).length - 1;
}

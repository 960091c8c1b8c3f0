import { afterEach, beforeEach, expect, test } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

describeInBrowser('a part of the page that comes later', () => {
  let stage: Stage;
  beforeEach(async () => {
    stage = await setStage(() => reply.text('Hello.'));
  });
  afterEach(async (context) => {
    if (context.task.result?.state === 'fail') await stage.photograph(context.task.name);
    await stage[Symbol.asyncDispose]();
  });

  test('says in its place that it cannot be loaded, and is there once the server is', async () => {
    const page = await stage.open();
    const button = page.getByRole('button', { name: /^Tools: / });
    await button.waitFor();
    await chatPage(page).composer.fill('Unsent words');
    stage.line.cut();
    await button.click();
    const panel = page.locator('[popover]:popover-open');
    await panel.getByText('The server could not be reached.').waitFor();
    stage.line.mend();
    await panel.getByRole('button', { name: 'Try again' }).click();
    // A browser that remembers the failure loads the whole page anew; nothing that was written is lost.
    await eventually(async () => {
      if (!(await panel.isVisible())) await button.click({ timeout: 10_000 });
      await panel.getByText('All servers').waitFor({ timeout: 10_000 });
      return true;
    });
    await page.keyboard.press('Escape');
    expect(await chatPage(page).composer.inputValue()).toBe('Unsent words');
    expect(stage.complaints).toEqual([]);
  });

  test('is there already where a first message leads: the line may be lost meanwhile', async () => {
    const page = await stage.open();
    await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
    // What is around every address, around the chat, and where nothing is; a new chat; and a conversation.
    await page.waitForFunction(
      () => performance.getEntriesByType('resource').filter(({ name }) => name.includes('/nodes/')).length === 5,
    );
    await page.route('**/_app/**', (route) => route.abort());
    await chatPage(page).send('Hello?');
    await chatPage(page).messages.getByText('Hello.').waitFor();
    expect(await chatPage(page).path()).toMatch(/^\/c\//);
    await chatPage(page).anew();
    expect(new URL(page.url()).pathname).toBe('/');
  });

  test('that lies over the page says so beside it', async () => {
    const page = await stage.open();
    const button = page.getByRole('button', { name: 'Instructions and parameters' });
    await button.waitFor();
    stage.line.cut();
    await button.click();
    const note = page.getByRole('region', { name: 'Notifications' });
    await note.getByText('The server could not be reached.').waitFor();
    stage.line.mend();
    await note.getByRole('button', { name: 'Try again' }).click();
    const dialog = page.getByRole('dialog');
    await eventually(async () => {
      if (!(await dialog.isVisible())) await button.click({ timeout: 10_000 });
      await dialog.waitFor({ timeout: 10_000 });
      return true;
    });
    expect(stage.complaints).toEqual([]);
  });
});

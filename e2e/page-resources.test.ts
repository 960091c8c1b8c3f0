import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { isJsonObject } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { axeFinds } from './support/axe.ts';
import { openWithServers, storedServer } from './support/browser-servers.ts';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import { startReferenceServer } from './support/reference-server.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

/** Calls the tool that the last message names, with arguments after a colon. */
const callsTools: ModelScript = ({ body }) => {
  const messages = isJsonObject(body) && Array.isArray(body['messages']) ? body['messages'] : [];
  const last = messages.at(-1);
  const content = isJsonObject(last) ? JSON.stringify(last['content']) : '';
  const name = /call (\w[\w-]*)/.exec(content)?.[1];
  if (name === undefined || !isJsonObject(last) || last['role'] === 'tool') return reply.text('Understood.');
  return reply.toolCalls([
    { name, arguments: content.includes('blob') ? { resourceType: 'Blob', resourceId: 1 } : {} },
  ]);
};

describeInBrowser('resources in the page', () => {
  let undo: AsyncDisposableStack;
  let stage: Stage;
  let page: Page;
  let chat: ReturnType<typeof chatPage>;
  let reference: AsyncDisposable & { origin: string };

  beforeAll(async () => {
    undo = new AsyncDisposableStack();
    reference = undo.use(await startReferenceServer('streamableHttp'));
    const args = ['--mcp', `everything=${reference.origin}/mcp`];
    stage = undo.use(await setStage(callsTools, { args }));
    page = await openWithServers(stage, '/settings/tools', [storedServer('Mine', `${reference.origin}/mcp`)]);
    page.setDefaultTimeout(20_000);
    chat = chatPage(page);
    const ready = page.getByText(/Ready \d{2} tools/);
    await eventually(async () => (await ready.count()) === 2, { what: 'both servers' });
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    expect(stage.complaints).toEqual([]);
  });
  afterAll(() => undo.disposeAsync());

  const dialog = (): Locator => page.getByRole('dialog');
  const chip = (name: string | RegExp): Locator =>
    page.getByRole('list', { name: 'Attached files' }).getByRole('listitem').filter({ hasText: name });
  const panel = (): Locator => page.getByRole('tabpanel');
  const openTab = (name: RegExp): Promise<void> => page.getByRole('tab', { name }).click();

  /** The contents have the time they were read, in seconds. */
  async function reloads(view: Locator): Promise<void> {
    const before = await view.innerText();
    await eventually(
      async () => {
        await view.getByRole('button', { name: 'Reload' }).click();
        return (await view.innerText()) !== before;
      },
      { what: 'newer contents' },
    );
  }

  async function callTool(tool: string, server: string, text = ''): Promise<Locator> {
    await chat.anew();
    await chat.composer.fill('');
    await chat.send(`Please call ${tool} ${text}`);
    await page.getByRole('button', { name: 'Allow once' }).first().click();
    await chat.reads('Understood.');
    await chat.waitUntilIdle();
    const card = chat.messages.locator('[data-tool-card]').first();
    await card.getByText(server, { exact: true }).first().waitFor();
    await card.getByRole('button').first().click();
    return card;
  }

  test.each(['everything', 'Mine'])('opens resource links of a result of a server: %s', async (server) => {
    const tool = server === 'Mine' ? 'browser-mine__get-resource-links' : 'get-resource-links';
    const card = await callTool(tool, server);
    await card.getByRole('button', { name: 'Text Resource 2', exact: true }).click();
    await dialog().getByRole('heading', { name: 'Text Resource 2' }).waitFor();
    await dialog().getByText(`From ${server}`).waitFor();
    await dialog()
      .getByText(/^Resource 2: This is a plaintext resource/)
      .waitFor();
    expect(await axeFinds(page)).toEqual([]);
    const download = page.waitForEvent('download');
    await dialog().getByRole('button', { name: /^Save/ }).click();
    expect((await download).suggestedFilename()).toMatch(/^2/);
    await reloads(dialog());
    await dialog().getByRole('button', { name: 'Attach to the message' }).click();
    await dialog().waitFor({ state: 'detached' });
    await page.locator('textarea:focus').waitFor();
    await chip('Text Resource 2').getByText(server).waitFor();
    // Until it is read again nothing is sent.
    await chip('Text Resource 2').getByText('Reading…').waitFor({ state: 'detached' });
    await chat.send('Look at it');
    await chat.reads('Understood.');
    await expect.poll(() => stage.model.requests.at(-1)?.text).toMatch(/uri=\\?"demo:\/\/resource\/dynamic\/text\/2/);
    await chat.waitUntilIdle();
  });

  test('opens a resource embedded in a result, and attaches it as it is', async () => {
    const card = await callTool('get-resource-reference', 'everything', 'blob');
    await card.getByRole('button', { name: /^Open demo:/ }).click();
    await dialog().getByText('demo://resource/dynamic/blob/1').first().waitFor();
    await dialog().getByRole('button', { name: 'Attach to the message' }).click();
    await chip('demo://resource/dynamic/blob/1')
      .getByText(/Resource ·/)
      .waitFor();
    await page.getByRole('button', { name: /^Remove demo:/ }).click();
  });

  test('offers the pages for developers for servers of this browser too', async () => {
    await page.goto(new URL('/settings/tools?server=browser-mine&view=about', page.url()).href);
    await panel().getByRole('link', { name: '7 resources' }).click();
    const tree = panel().getByRole('tree');
    await tree.getByRole('treeitem', { name: /architecture/ }).click();
    const view = panel().getByRole('article');
    await view.getByText('text/markdown').waitFor();
    await panel().getByText('Dynamic Text Resource').click();
    await panel().getByRole('combobox').fill('3');
    await page.keyboard.press('Escape');
    await panel().getByRole('button', { name: 'Open', exact: true }).click();
    await view.getByText(/Resource 3/).waitFor();
    await reloads(view);
    await view.getByRole('button', { name: 'Subscribe' }).click();
    await view.getByRole('button', { name: 'Unsubscribe' }).waitFor();

    await openTab(/^Prompts/);
    const prompt = panel().getByRole('listitem').filter({ hasText: 'completable-prompt' });
    await prompt.getByRole('button', { name: /completable-prompt/ }).click();
    await prompt.getByRole('combobox', { name: /department/i }).fill('Eng');
    await prompt.getByRole('option', { name: 'Engineering' }).click();
    await prompt.getByRole('combobox', { name: /name/i }).focus();
    await prompt.getByRole('option', { name: 'Alice' }).click();
    await prompt.getByRole('button', { name: 'Preview' }).click();
    await prompt.getByText('Please promote Alice').waitFor();

    await openTab(/^Tools/);
    await panel()
      .getByRole('button', { name: /get-sum/ })
      .first()
      .click();
    await panel().getByRole('button', { name: 'Test the tool' }).click();
    await dialog().getByRole('textbox', { name: 'a', exact: true }).fill('2');
    await dialog().getByRole('textbox', { name: 'b', exact: true }).fill('3');
    await dialog().getByRole('button', { name: 'Run', exact: true }).click();
    await dialog().getByText('The sum of 2 and 3 is 5.').first().waitFor();
    await page.keyboard.press('Escape');
    await dialog().waitFor({ state: 'detached' });

    await panel()
      .getByRole('button', { name: /simulate-research-query/ })
      .first()
      .click();
    await panel().getByRole('button', { name: 'Test the tool' }).last().click();
    await dialog().getByRole('textbox', { name: 'topic' }).fill('Tides');
    await dialog().getByRole('button', { name: 'Run', exact: true }).click();
    await dialog().getByText('The tool has run').waitFor();
    await page.keyboard.press('Escape');
    await openTab(/^Tasks/);
    await panel().getByRole('button', { name: 'Show result' }).click();
    await panel().getByText(/Tides/).first().waitFor();

    await openTab(/^Log/);
    await panel().getByText('Messages', { exact: true }).click();
    await panel().getByText('resources/subscribe').first().waitFor();
  });

  test('reports a server that is gone in place, and keeps what was read', async () => {
    await page.goto(new URL('/settings/tools?server=everything&view=resources', page.url()).href);
    await panel()
      .getByRole('treeitem', { name: /features/ })
      .click();
    const view = panel().getByRole('article');
    await view.getByText('text/markdown').waitFor();
    const heading = view
      .locator('.md')
      .getByRole('heading', { name: /Features/ })
      .first();
    await heading.waitFor();
    await reference[Symbol.asyncDispose]();
    await view.getByRole('button', { name: 'Reload' }).click();
    await view.getByText('The resource could not be read').waitFor();
    await view.getByText('Below are the contents from the last time.').waitFor();
    expect(await heading.isVisible()).toBe(true);
  });
});

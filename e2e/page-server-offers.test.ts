import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { describeInBrowser } from './support/page-stage.ts';
import { startReferenceServer } from './support/reference-server.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

const SERVER = '/settings/tools?server=everything';
const DYNAMIC = 'demo://resource/dynamic/text/7';

describeInBrowser('the page of a server for developers', () => {
  let undo: AsyncDisposableStack;
  let stage: Stage;
  let page: Page;

  beforeAll(async () => {
    undo = new AsyncDisposableStack();
    const reference = undo.use(await startReferenceServer('streamableHttp'));
    const args = ['--mcp', `everything=${reference.origin}/mcp`];
    stage = undo.use(await setStage(() => reply.text('Understood.'), { args }));
    page = await stage.open(SERVER);
    page.setDefaultTimeout(15_000);
    await page.getByText('Ready', { exact: false }).first().waitFor();
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    expect(stage.complaints).toEqual([]);
  });
  afterAll(() => undo.disposeAsync());

  const panel = (): Locator => page.getByRole('tabpanel');
  const sheet = (): Locator => page.getByRole('dialog');
  const openTab = (name: RegExp): Promise<void> => page.getByRole('tab', { name }).click();

  test('shows resources as a tree, finds and previews them, and follows one', async () => {
    await openTab(/^Resources/);
    const tree = panel().getByRole('tree');
    await tree.getByRole('treeitem').first().focus();
    await page.keyboard.press('End');
    await tree.locator('[role=treeitem]:focus').and(tree.getByRole('treeitem').last()).waitFor();
    await panel().getByRole('searchbox', { name: 'Search resources' }).fill('architecture');
    await tree.getByRole('treeitem', { name: /architecture/ }).click();
    const view = panel().getByRole('article');
    await view
      .getByRole('heading', { name: /Architecture/ })
      .first()
      .waitFor();
    await view.getByText('text/markdown').waitFor();
    expect(await axeFinds(page)).toEqual([]);

    await panel().getByText('Dynamic Text Resource').click();
    await panel().getByRole('button', { name: 'Open', exact: true }).click();
    await panel().getByText('Required.').waitFor();
    await panel().getByRole('combobox').fill('7');
    await page.keyboard.press('Escape');
    await panel().getByRole('button', { name: 'Open', exact: true }).click();
    await view.getByText(/Resource 7/).waitFor();
    await view.getByRole('button', { name: 'Subscribe' }).click();
    await view.getByRole('button', { name: 'Unsubscribe' }).waitFor();
    const body = { tool: 'toggle-subscriber-updates', arguments: {} };
    await call(stage.server.url, 'POST', '/api/mcp/servers/everything/tools/call', body);
    await view.getByText('The server reported a change').waitFor();
    await view.getByRole('button', { name: 'Unsubscribe' }).click();
    await view.getByRole('button', { name: 'Subscribe' }).waitFor();
    await call(stage.server.url, 'POST', '/api/mcp/servers/everything/tools/call', body);
    await view.getByRole('button', { name: 'Attach to a new chat' }).click();
    await page.getByRole('list', { name: 'Attached files' }).getByText(DYNAMIC).waitFor();
  });

  test('fills in a prompt, shows its messages and uses it in a chat', async () => {
    await page.goto(new URL(`${SERVER}&view=prompts`, page.url()).href);
    const prompt = panel().getByRole('listitem').filter({ hasText: 'completable-prompt' });
    await prompt.getByRole('button', { name: /completable-prompt/ }).click();
    await prompt.getByRole('button', { name: 'Preview' }).click();
    await prompt.getByText('Required.').first().waitFor();
    await prompt.getByRole('combobox', { name: /department/i }).fill('Eng');
    await prompt.getByRole('option', { name: 'Engineering' }).click();
    const name = prompt.getByRole('combobox', { name: /name/i });
    await name.focus();
    await prompt.getByRole('option', { name: 'Alice' }).click();
    await prompt.getByRole('button', { name: 'Preview' }).click();
    await prompt.getByText('Please promote Alice').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await prompt.getByRole('button', { name: 'Use in a new chat' }).click();
    await page.getByRole('list', { name: 'Attached files' }).getByText('Team Management').waitFor();
  });

  test('calls a tool by hand, shows the raw response, and makes the call again from the log', async () => {
    await page.goto(new URL(SERVER, page.url()).href);
    await panel()
      .getByRole('button', { name: /get-structured-content/ })
      .first()
      .click();
    await panel().getByRole('button', { name: 'Test the tool' }).click();
    await sheet().getByText('When a model calls this:').waitFor();
    await sheet().getByRole('button', { name: 'Run' }).click();
    await sheet().getByRole('button', { name: 'Run despite the errors' }).waitFor();
    await sheet().getByRole('combobox', { name: 'location' }).selectOption('Chicago');
    await sheet().getByRole('button', { name: 'Run', exact: true }).click();
    await sheet().getByText('the structured result matches its schema').waitFor();
    await sheet().getByRole('region', { name: 'Raw response' }).getByText('structuredContent').waitFor();
    expect(await axeFinds(page)).toEqual([]);
    await sheet().getByText('JSON', { exact: true }).click();
    const json = sheet().getByRole('textbox', { name: 'Arguments as JSON' });
    await json.fill('{\n  "location": "Paris"\n}');
    await sheet().getByText('Line 2, column 15:').waitFor();
    await json.fill('{"location": ');
    await sheet()
      .getByText(/Line 1, column \d+: /)
      .waitFor();
    await page.keyboard.press('Escape');
    await sheet().waitFor({ state: 'detached' });

    await openTab(/^Log/);
    await panel().getByText('Messages', { exact: true }).click();
    await panel().getByText('tools/call').last().click();
    await panel().getByRole('button', { name: 'Call again' }).click();
    await sheet().getByRole('combobox', { name: 'location' }).waitFor();
    expect(await sheet().getByRole('combobox', { name: 'location' }).locator('option:checked').innerText()).toBe(
      'Chicago',
    );
    await sheet().getByRole('button', { name: 'Run', exact: true }).click();
    await sheet()
      .getByText(/Light rain/)
      .first()
      .waitFor();
    await page.keyboard.press('Escape');
  });

  test('lists the tasks of a server with their results', async () => {
    await page.goto(new URL(SERVER, page.url()).href);
    await panel()
      .getByRole('button', { name: /simulate-research-query/ })
      .first()
      .click();
    await panel().getByRole('button', { name: 'Test the tool' }).click();
    await sheet().getByRole('textbox', { name: 'topic' }).fill('Tides');
    await sheet().getByRole('button', { name: 'Run', exact: true }).click();
    await sheet().getByText('The tool has run').waitFor();
    await page.keyboard.press('Escape');
    await openTab(/^Tasks/);
    await panel().getByText('Completed').waitFor();
    await panel().getByRole('button', { name: 'Show result' }).click();
    await panel().getByText(/Tides/).first().waitFor();
    expect(await axeFinds(page)).toEqual([]);
  });
});

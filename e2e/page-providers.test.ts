import type { Locator, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { ProviderView } from '@toolyard/protocol';
import type { ModelServer } from '@toolyard/testing';
import { anthropicReply, reply, startModelServer } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describeInBrowser } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';
import { setStage } from './support/stage.ts';

const KEY = 'canary-key-0123456789';

// One page for all tests: each navigates it to its start, without loading it again if possible.
describeInBrowser('providers', () => {
  let undo: AsyncDisposableStack;
  let stage: Stage;
  let claude: ModelServer;
  let page: Page;

  beforeAll(async () => {
    undo = new AsyncDisposableStack();
    claude = undo.use(
      await startModelServer(() => anthropicReply('Hello from messages.'), {
        requireKey: KEY,
        serveAt: 'both',
        models: ['claude-x'],
      }),
    );
    const office = undo.use(
      await startModelServer([], {
        models: reply.json({
          data: [
            { id: 'seer', context_length: 128_000, architecture: { input_modalities: ['text', 'image', 'audio'] } },
            { id: 'reader' },
          ],
        }),
      }),
    );
    stage = undo.use(await setStage(() => reply.text('Understood.')));
    await call(stage.server.url, 'POST', '/api/providers', { label: 'Office', baseUrl: office.url });
    await call(stage.server.url, 'POST', '/api/providers', {
      label: 'Many',
      baseUrl: stage.model.url,
      modelNames: ['aardvark', 'beaver', 'coyote'],
    });
    page = await stage.open('/settings/models');
  });
  afterEach(async ({ task }) => {
    if (task.result?.state === 'fail') await stage.screenshot(task.name);
    expect(stage.complaints).toEqual([]);
  });
  afterAll(() => undo.disposeAsync());

  async function beginProvider(): Promise<Locator> {
    await page.getByRole('button', { name: 'Add provider' }).click();
    return page.getByRole('dialog', { name: 'New provider' });
  }

  /** Opens the model picker, in the open chat or in a new one. */
  async function openPicker(): Promise<void> {
    if (page.url().includes('/settings/')) await chatPage(page).anew();
    await page
      .getByRole('button', { name: /^Model|^Choose a model/ })
      .first()
      .click();
  }

  /** The list is searched by typing; Enter selects the first match. */
  async function chooseProvider(name: string): Promise<void> {
    await page.getByRole('button', { name: /^Provider / }).click();
    const search = page.getByRole('combobox', { name: 'Search providers' });
    await search.fill(name);
    await page.getByRole('option').first().waitFor();
    await search.press('Enter');
    await search.waitFor({ state: 'detached' });
  }

  test('a custom provider asks for the placeholders of its base URL, and accepts names of models', async () => {
    await page.setViewportSize({ width: 360, height: 740 });
    const form = await beginProvider();
    await chooseProvider('Azure OpenAI');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Replace {AZURE_RESOURCE_NAME} with your own value.').waitFor();
    await chooseProvider('custom');
    expect(await form.getByLabel('Base URL', { exact: true }).inputValue()).toBe('');
    await form.getByLabel('Base URL', { exact: true }).fill(stage.model.url);
    await form.getByLabel('Name', { exact: true }).fill('Named');
    await form.getByLabel('API format', { exact: true }).selectOption('openai-chat');
    await form.getByLabel('Model names').fill('one\ntwo\nthree\nfour');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText(/added here OpenAI Chat Completions 4 models/).waitFor();
    await page.setViewportSize({ width: 1280, height: 720 });
  });

  test('a known provider is selected, filled in, tested and saved, and answers in a chat over its own API format', async () => {
    const form = await beginProvider();
    await chooseProvider('anthropic');
    const address = form.getByLabel('Base URL', { exact: true });
    await expect.poll(() => address.inputValue()).toBe('https://api.anthropic.com');
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Anthropic');
    expect(await form.getByLabel('API format', { exact: true }).inputValue()).toBe('anthropic-messages');
    await form.getByRole('link', { name: 'Get an API key' }).waitFor();
    expect(await axeFinds(page)).toEqual([]);

    await address.fill(claude.origin);
    await form.getByLabel('API key', { exact: true }).fill('wrong');
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText(/Incorrect API key/).waitFor();
    await form.getByLabel('API key', { exact: true }).fill(KEY);
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('Connected. 1 model:').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText(/added here Anthropic Messages 1 model key stored/).waitFor();

    const { items } = await call<{ items: ProviderView[] }>(stage.server.url, 'GET', '/api/providers');
    const made = items.find(({ id }) => id === 'anthropic');
    expect(made).toMatchObject({ wire: 'anthropic-messages', known: 'anthropic', hasKey: true });
    expect(JSON.stringify(items)).not.toContain(KEY);

    await openPicker();
    await page
      .getByRole('option', { name: /claude-x/ })
      .first()
      .click();
    await chatPage(page).send('Hi');
    await page.getByText('Hello from messages.').waitFor();
  });

  test('the picker shows the inputs of a model, also to screen readers', async () => {
    await openPicker();
    await page.getByRole('option', { name: /^seer Accepts images, audio 128k/ }).waitFor();
    expect(await page.getByRole('option', { name: /^reader/ }).innerText()).not.toContain('Accepts');
    expect(await axeFinds(page)).toEqual([]);
    await page.keyboard.press('Escape');
  });

  test('a favourite is first in the picker after it is reopened, by pointer and by keyboard', async () => {
    const groups = page.getByRole('listbox', { name: 'Models' }).getByRole('group');
    await openPicker();
    const beaver = page.getByRole('option', { name: /beaver/ });
    await beaver.hover();
    await beaver.locator('[data-favourite]').click();
    await beaver.locator('[data-favourite=true]').waitFor();
    expect(await groups.first().getByRole('option').count()).toBeGreaterThan(0);
    expect(await page.getByRole('group', { name: 'Favorites' }).count()).toBe(0);
    await page.keyboard.press('Escape');

    await openPicker();
    const favourites = page.getByRole('group', { name: 'Favorites' });
    await favourites.getByRole('option', { name: /beaver.*Many/ }).waitFor();
    await page.getByRole('combobox', { name: 'Search models' }).fill('coyote');
    await page.getByRole('button', { name: 'Add coyote to favorites' }).press('Enter');
    await page.getByRole('button', { name: 'Remove coyote from favorites' }).waitFor();
    await page.reload();
    await openPicker();
    await favourites.waitFor();
    expect(await favourites.getByRole('option').allTextContents()).toEqual([
      expect.stringContaining('beaver'),
      expect.stringContaining('coyote'),
    ]);
    await page.keyboard.press('Escape');
  });
});

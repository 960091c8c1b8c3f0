import { beforeEach, expect, test } from 'vitest';
import type { ProviderView } from '@toolyard/protocol';
import { anthropicReply, reply, startModelServer } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { describePage } from './support/page-stage.ts';
import type { Stage } from './support/stage.ts';

const KEY = 'canary-key-0123456789';

describePage('providers in the settings', (stages) => {
  let stage: Stage;

  // One for each test: what is added here would be there twice where a test is tried again.
  beforeEach(async () => {
    stage = await stages.set(() => reply.text('Understood.'));
  });

  test('one that is known is chosen, filled in, tested, saved, and answers over its own API', async () => {
    await using claude = await startModelServer(() => anthropicReply('Hello from messages.'), {
      requireKey: KEY,
      serveAt: 'both',
      models: ['claude-x'],
    });
    const page = await stage.open('/settings/models');
    await page.getByRole('button', { name: 'Add a provider' }).click();
    const form = page.getByRole('dialog', { name: 'New provider' });
    await form.getByLabel('Provider', { exact: true }).selectOption('anthropic');
    const address = form.getByLabel('Address');
    await expect.poll(() => address.inputValue()).toBe('https://api.anthropic.com');
    expect(await form.getByLabel('Name', { exact: true }).inputValue()).toBe('Anthropic');
    expect(await form.getByLabel('API', { exact: true }).inputValue()).toBe('anthropic-messages');
    await form.getByRole('link', { name: 'Where its keys are made' }).waitFor();
    await stage.photograph('a known provider');
    expect(await axeFinds(page)).toEqual([]);

    await address.fill(claude.origin);
    await form.getByLabel('Key', { exact: true }).fill('wrong');
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText(/Incorrect API key/).waitFor();
    await form.getByLabel('Key', { exact: true }).fill(KEY);
    await form.getByRole('button', { name: 'Test' }).click();
    await form.getByText('It works and offers 1 model:').waitFor();
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText(/added here · Anthropic Messages · 1 model · key stored/).waitFor();

    const { items } = await call<{ items: ProviderView[] }>(stage.server.url, 'GET', '/api/providers');
    const made = items.find(({ id }) => id === 'anthropic');
    expect(made).toMatchObject({ wire: 'anthropic-messages', known: 'anthropic', hasKey: true });
    expect(JSON.stringify(items)).not.toContain(KEY);
    await page.goto(`${stage.line.url}/`);
    await page
      .getByRole('button', { name: /^Model/ })
      .first()
      .click();
    await page
      .getByRole('option', { name: /claude-x/ })
      .first()
      .click();
    const field = page.getByRole('textbox', { name: 'Message' });
    await field.fill('Hi');
    await field.press('Enter');
    await page.getByText('Hello from messages.').waitFor();
  });

  test('one of your own may have an address with a gap, and names of models', async () => {
    const page = await stage.open('/settings/models', { viewport: { width: 360, height: 740 } });
    await page.getByRole('button', { name: 'Add a provider' }).click();
    const form = page.getByRole('dialog', { name: 'New provider' });
    await form.getByLabel('Provider', { exact: true }).selectOption('azure');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.getByText('Put your own in the place of {AZURE_RESOURCE_NAME}.').waitFor();
    await stage.photograph('an address with a gap');
    await form.getByLabel('Provider', { exact: true }).selectOption('');
    expect(await form.getByLabel('Address').inputValue()).toBe('');
    await form.getByLabel('Address').fill(stage.model.url);
    await form.getByLabel('Name', { exact: true }).fill('Named');
    await form.getByLabel('API', { exact: true }).selectOption('openai-chat');
    await form.getByLabel('Names of models').fill('one\ntwo');
    await form.getByRole('button', { name: 'Save' }).click();
    await form.waitFor({ state: 'detached' });
    await page.getByText(/added here · OpenAI Chat Completions · 2 models/).waitFor();
  });

  test('the picker says what a model reads, to the eye and to who does not see it', async () => {
    await using office = await startModelServer([], {
      models: reply.json({
        data: [
          { id: 'seer', context_length: 128_000, architecture: { input_modalities: ['text', 'image', 'audio'] } },
          { id: 'reader' },
        ],
      }),
    });
    await call(stage.server.url, 'POST', '/api/providers', { label: 'Office', baseUrl: office.url });
    const page = await stage.open('/');
    await page
      .getByRole('button', { name: /^Model|^Choose a model/ })
      .first()
      .click();
    await page.getByRole('option', { name: /^seer Reads pictures, sound 128k/ }).waitFor();
    expect(await page.getByRole('option', { name: /^reader/ }).innerText()).not.toContain('Reads');
    expect(await axeFinds(page)).toEqual([]);
    await stage.photograph('what models read');
  });

  test('a favourite stands first in the picker from the next time on, by pointer and by keyboard', async () => {
    await call(stage.server.url, 'POST', '/api/providers', {
      label: 'Many',
      baseUrl: stage.model.url,
      modelNames: ['aardvark', 'beaver', 'coyote'],
    });
    const page = await stage.open('/');
    const picker = page.getByRole('button', { name: /^Model|^Choose a model/ }).first();
    const groups = page.getByRole('listbox', { name: 'Models' }).getByRole('group');
    await picker.click();
    const beaver = page.getByRole('option', { name: /beaver/ });
    await beaver.hover();
    await beaver.locator('[data-favourite]').click();
    await beaver.locator('[data-favourite=true]').waitFor();
    expect(await groups.first().getByRole('option').count()).toBeGreaterThan(0);
    expect(await page.getByRole('group', { name: 'Favourites' }).count()).toBe(0);
    await page.keyboard.press('Escape');

    await picker.click();
    const favourites = page.getByRole('group', { name: 'Favourites' });
    await favourites.getByRole('option', { name: /beaver.*Many/ }).waitFor();
    await page.getByRole('combobox', { name: 'Search models' }).fill('coyote');
    await page.getByRole('button', { name: 'Add coyote to the favourites' }).press('Enter');
    await page.getByRole('button', { name: 'Take coyote out of the favourites' }).waitFor();
    await stage.photograph('favourites');
    await page.reload();
    await picker.click();
    await favourites.waitFor();
    expect(await favourites.getByRole('option').allTextContents()).toEqual([
      expect.stringContaining('beaver'),
      expect.stringContaining('coyote'),
    ]);
  });
});

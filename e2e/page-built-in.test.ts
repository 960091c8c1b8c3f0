import { readFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import type { JsonObject } from '@toolyard/protocol';
import type { ModelReply, ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { getContent, getPanel } from './support/preview-panel.ts';

type Messages = { messages: { role: string; content: unknown }[] };

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';
const HTML = '<!doctype html>\n<title>Clock</title>\n<p>Red clock</p>\n';

const call1 = (name: string, args: JsonObject): ModelReply => reply.toolCalls([{ name, arguments: args }]);

/** What the model does for a message; then it says what the tool returned. */
const DOES: Record<string, ModelReply> = {
  'Make a clock': call1('artifact', { title: 'Clock', kind: 'html', content: HTML }),
  'Make it blue': call1('artifact', { id: 'a1', old_text: 'Red', new_text: 'Blue' }),
  'And a list': call1('artifact', { title: 'Parts', kind: 'markdown', content: '# Parts of a clock\n' }),
  'I live in Bern': call1('remember', { text: 'The user lives in Bern.' }),
  'Where do I live?': call1('recall', { query: 'where the user lives' }),
  'Paint a cat': call1('create_image', { prompt: 'a cat' }),
  'Say it': call1('speak', { text: 'Miaow.' }),
};

function wantedIn(content: unknown): string {
  return Object.keys(DOES).find((each) => JSON.stringify(content ?? null).includes(each)) ?? '';
}

const script: ModelScript = ({ path, body }) => {
  if (path.endsWith('/images/generations')) return reply.json({ data: [{ b64_json: PNG }] });
  if (path.endsWith('/audio/speech'))
    return reply.raw(['sound'.repeat(20_000)], { headers: { 'content-type': 'audio/mpeg' } });
  // Images of a result follow it in a message of their own.
  const last = (body as Messages).messages.findLast(({ role, content }) => role === 'tool' || wantedIn(content) !== '');
  if (last?.role !== 'tool') return DOES[wantedIn(last?.content)] ?? reply.text('?');
  return reply.text(`It said: ${JSON.stringify(last.content).replaceAll(/[`<>\\]/g, '')}`);
};

describePage('built-in tools in the page', ({ set }) => {
  test('show documents in versions, notes with their source, images and speech', async () => {
    const stage = await set(script, { direct: true });
    const { url } = stage.server;
    const { items } = await call<{ items: { id: string; baseUrl: string | null }[] }>(url, 'GET', '/api/providers');
    const providerId = items.find(({ baseUrl }) => baseUrl?.startsWith(stage.model.url))?.id ?? '';
    const page = await stage.open('/', { viewport: { width: 1440, height: 900 } });
    const chat = chatPage(page);
    const panel = getPanel(page);
    const allow = page.getByRole('button', { name: 'Allow once' });
    const frame = (text: string) => getContent(page).getByText(text, { exact: true }).waitFor();

    await documents();
    await enable();
    await notes();
    await media();

    async function documents(): Promise<void> {
      await chat.send('Make a clock');
      await chat.reads(/It said: .*Created document a1/);
      await chat.messages.getByRole('button', { name: 'Open “Clock”, version 1' }).click();
      await frame('Red clock');
      await chat.send('Make it blue');
      await chat.reads(/It said: .*Changed document a1: version 2/);
      // The open panel follows.
      await frame('Blue clock');
      await panel.getByRole('combobox', { name: 'Version' }).selectOption({ label: 'Version 1 of 2' });
      await frame('Red clock');
      await panel.getByRole('combobox', { name: 'Version' }).selectOption({ label: 'Version 2 of 2' });
      await panel.getByText('Changes', { exact: true }).click();
      await panel.getByText('<p>Blue clock</p>').waitFor();
      await panel.getByText('<p>Red clock</p>').waitFor();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        panel.getByRole('button', { name: /^Download/ }).click(),
      ]);
      expect(download.suggestedFilename()).toBe('Clock.html');
      expect(await readFile(await download.path(), 'utf8')).toBe(HTML.replace('Red', 'Blue'));
      await chat.send('And a list');
      await chat.reads(/Created document a2/);
      await panel.getByRole('combobox', { name: 'Document' }).selectOption({ label: 'Parts' });
      await panel.getByRole('heading', { name: 'Parts of a clock' }).waitFor();
      expect(await axeFinds(page)).toEqual([]);
      await page.reload();
      await chat.messages.getByRole('button', { name: 'Open “Clock”, version 2' }).click();
      await frame('Blue clock');
      await page.setViewportSize({ width: 390, height: 800 });
      await frame('Blue clock');
      await panel.getByRole('button', { name: 'Close preview' }).click();
      expect(await page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true);
      await page.setViewportSize({ width: 1440, height: 900 });
    }

    async function enable(): Promise<void> {
      await page.goto(`${url}/settings/memory`);
      await page.getByText('The memory is disabled').waitFor();
      await page.getByRole('link', { name: 'Open its settings' }).click();
      await page.getByRole('heading', { name: 'Memory' }).first().waitFor();
      await call(url, 'PUT', '/api/settings/defaults', { servers: { memory: true, media: true } });
      await page.goto(`${url}/settings/tools?server=media`);
      await page.getByRole('combobox', { name: 'Provider for images' }).selectOption(providerId);
      await page.getByRole('textbox', { name: 'Image model' }).fill('painter');
      await page.getByRole('combobox', { name: 'Provider for speech' }).selectOption(providerId);
      await page.getByRole('textbox', { name: 'Speech model' }).fill('speaker');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Saved', { exact: true }).waitFor();
      expect(await axeFinds(page)).toEqual([]);
    }

    async function notes(): Promise<void> {
      await page.goto(url);
      await chat.send('I live in Bern');
      await allow.click();
      await chat.reads(/It said: .*Remembered/);
      const source = await chat.path();
      await chat.anew();
      await chat.send('Where do I live?');
      await chat.reads(/It said: .*The user lives in Bern/);
      await page.goto(`${url}/settings/memory`);
      const item = page.getByRole('listitem').filter({ hasText: 'The user lives in Bern.' });
      await item.getByRole('link', { name: 'From “I live in Bern”' }).waitFor();
      await item.getByRole('button', { name: 'Edit note' }).click();
      await page.getByRole('textbox', { name: 'Text' }).fill('The user lives in Basel.');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Edited by you on').waitFor();
      await page.getByRole('searchbox', { name: 'Search memory' }).fill('bern nothing');
      await page.getByText('No note contains').waitFor();
      await page.getByRole('searchbox', { name: 'Search memory' }).fill('BASEL');
      expect(await page.getByText('The memory is disabled').count()).toBe(0);
      expect(await axeFinds(page)).toEqual([]);
      await page.getByRole('link', { name: 'From “I live in Bern”' }).click();
      await page.waitForURL(url + source);
      await chat.reads(/Remembered/);
      await page.goto(`${url}/settings/memory`);
      await page.getByRole('button', { name: 'Delete all' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete all' }).click();
      await page.getByText('Nothing is remembered').waitFor();
    }

    async function media(): Promise<void> {
      await page.goto(url);
      await chat.send('Paint a cat');
      await allow.click();
      await chat.reads(/It said: .*Created an image/);
      await chat.messages.getByRole('button', { name: /^Image from Create image/ }).waitFor();
      await chat.send('Say it');
      await allow.click();
      await chat.reads(/It said: .*Spoken with speaker/);
      await chat.unfoldAll();
      const audio = chat.messages.locator('audio');
      // Its signed URL is requested when it is shown.
      await expect.poll(() => audio.getAttribute('src')).toMatch(/\/api\/files\/[0-9a-f]{64}\?/);
      expect(await axeFinds(page)).toEqual([]);
    }
  });
});

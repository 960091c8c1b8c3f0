import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { eventually, reply } from '@toolyard/testing';
import { chatPage } from './chat-page.ts';
import { startCountingServer } from './counting-server.ts';
import { hostileDocuments } from './hostile-documents.ts';
import type { Stages } from './page-stage.ts';
import { getContent, getPanel } from './preview-panel.ts';

// Of the browser: functions given to `evaluate` run in the page.
declare const document: {
  fullscreenElement: unknown;
  cookie: string;
  elementFromPoint: (x: number, y: number) => { closest: (selector: string) => unknown } | null;
};

const STORAGE = 'Storage and the window of the page';

/** Opens hostile documents in the preview, and expects that they reach neither the page nor any other host. Default: all. */
export async function openHostileDocuments(set: Stages['set'], titles?: readonly string[]): Promise<void> {
  await using counting = await startCountingServer();
  const documents = hostileDocuments(counting).filter(({ title }) => titles?.includes(title) ?? true);
  const has = (title: string): boolean => documents.some((each) => each.title === title);
  const answer = documents.map(({ html }) => `\`\`\`html\n${html}\n\`\`\``).join('\n\n');
  const stage = await set(() => reply.text(answer), { direct: true });
  const page = await stage.open('/', { viewport: { width: 1440, height: 900 } });
  const chat = chatPage(page);
  const panel = getPanel(page);
  await chat.send('Show me');
  await chat.waitUntilIdle();
  await chat.path();
  await page.evaluate(() => (document.cookie = 'session=secret'));
  const address = page.url();
  const title = await page.title();
  const tabs: Page[] = [];
  const downloads: string[] = [];
  const dialogs: string[] = [];
  page.context().on('page', (tab) => tabs.push(tab));
  page.on('download', (download) => downloads.push(download.suggestedFilename()));
  page.on('dialog', (dialog) => {
    dialogs.push(dialog.message());
    void dialog.dismiss();
  });
  const source = chat.messages.locator('.md-code');
  const results = new Map<string, string>();
  const failed = new Map<string, RegExp>([
    ['Navigation of itself', /tried to open another address/],
    ['Prefetching and refresh', /tried to open another address/],
    ['Flood of messages', /too many messages and was stopped/],
  ]);

  // Before the infinite loop of the last document, whose process may be that of the next frame.
  if (has('WebRTC')) await stopsWebRtcWithoutHeader();
  for (const document of documents) {
    await source
      .filter({ hasText: `<title>${document.title}</title>` })
      .getByRole('button', { name: 'Preview' })
      .click();
    await panel.getByRole('heading', { name: document.title }).waitFor();
    const why = failed.get(document.title);
    if (why !== undefined) await panel.getByRole('alert').filter({ hasText: why }).waitFor();
    else if (document.title === 'Infinite loop') await stopsAnswering();
    else {
      await getContent(page).getByText('tried').waitFor();
      results.set(document.title, await getContent(page).locator('#out').innerText());
    }
    await stillWorks(document.title);
  }
  // The last one runs an infinite loop: the page answers, and the document is closed.
  await panel.getByRole('button', { name: 'Close preview' }).click();
  await panel.waitFor({ state: 'detached' });

  expect(counting.seen).toEqual([]);
  expect([tabs.length, downloads, dialogs, page.url(), await page.title()]).toEqual([0, [], [], address, title]);
  expect(await page.evaluate(() => document.cookie)).toBe('session=secret');
  if (has(STORAGE)) expect(results.get(STORAGE)).toContain('origin null');
  expect(results.get(STORAGE) ?? '').not.toMatch(/secret|parent |top |frame /);
  expect(results.get('Popups and forms') ?? '').not.toContain('true');
  expect(results.get('Service worker and downloads') ?? '').not.toContain('granted');
  // What the browser refused to the documents.
  stage.complaints.length = 0;

  /** As in browsers that do not know it. */
  async function stopsWebRtcWithoutHeader(): Promise<void> {
    let stripped = 0;
    await page.route('**/frame/content*', async (route) => {
      const response = await route.fetch();
      const { 'connection-allowlist': list, ...headers } = response.headers();
      if (list !== undefined) stripped += 1;
      await route.fulfill({ response, headers });
    });
    await source.filter({ hasText: '<title>WebRTC</title>' }).getByRole('button', { name: 'Preview' }).click();
    await getContent(page).getByText('tried').waitFor();
    expect(stripped).toBe(1);
    await stillWorks('WebRTC without the header');
    await panel.getByRole('button', { name: 'Close preview' }).click();
    await page.unroute('**/frame/content*');
  }

  /** Nothing can be read in a frame whose script never ends. */
  async function stopsAnswering(): Promise<void> {
    const text = getContent(page).getByText('tried');
    const isSilent = () =>
      text.innerText({ timeout: 1_000 }).then(
        () => false,
        () => true,
      );
    await eventually(isSilent, { what: 'the infinite loop' });
  }

  async function stillWorks(name: string): Promise<void> {
    expect([name, await page.getByRole('dialog').count()]).toEqual([name, 0]);
    expect([name, await page.evaluate(() => document.fullscreenElement === null)]).toEqual([name, true]);
    expect([name, await page.getByRole('button', { name: 'Allow once' }).count()]).toEqual([name, 0]);
    expect([name, await panel.getByRole('button', { name: 'Open', exact: true }).count()]).toEqual([
      name,
      name === 'Popups and forms' || name === 'Navigation of the page' ? 1 : 0,
    ]);
    // Nothing lies over the controls of the page.
    const box = await panel.getByRole('button', { name: 'Close preview' }).boundingBox();
    const isFree = await page.evaluate(
      ({ x, y }) => document.elementFromPoint(x, y)?.closest('[aria-label="Close preview"]') !== null,
      { x: (box?.x ?? 0) + 5, y: (box?.y ?? 0) + 5 },
    );
    expect([name, isFree]).toEqual([name, true]);
    expect([name, counting.seen]).toEqual([name, []]);
  }
}

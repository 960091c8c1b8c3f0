import type { Page } from 'playwright-core';
import { expect, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import { eventually, reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { axeFinds } from './support/axe.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';
import { hostileReply, RICH_ANSWER, RICH_PIECE, richReply } from './support/rich-answer.ts';
import { scrollTo } from './support/scroll-to.ts';

// Of the browser: functions given to `evaluate` run in the page.
declare const document: { activeElement: unknown };
declare function getComputedStyle(node: unknown): { fontFamily: string; direction: string; textAlign: string };

const DOT = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==',
  'base64',
);

/** Records layout shifts, and the places of the last words after each frame. */
const WATCH_END = `(() => {
  let moved = 0;
  let isOver = false;
  const places = new Set();
  const observer = new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => (moved += value)));
  observer.observe({ type: 'layout-shift' });
  let isFirst = true;
  const painted = () => {
    if (!isOver) requestAnimationFrame(() => setTimeout(painted));
    const text = document.querySelector('[role=log]');
    const walker = text && document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
    while (walker?.nextNode()) {
      if (!walker.currentNode.data.includes('The end.')) continue;
      const range = document.createRange();
      range.selectNode(walker.currentNode);
      // The first time it may not have been painted.
      if (!isFirst) places.add(Math.round(range.getBoundingClientRect().bottom));
      isFirst = false;
    }
  };
  painted();
  window.endWatch = () => {
    isOver = true;
    observer.disconnect();
    return { moved, places: [...places] };
  };
})()`;

/** Addresses requested by the page from anywhere but its server. */
function listenForRequests(page: Page): string[] {
  const addresses: string[] = [];
  page.on('request', (request) => {
    const address = new URL(request.url());
    if (['http:', 'https:'].includes(address.protocol) && address.host !== new URL(page.url()).host) {
      addresses.push(address.href);
    }
  });
  return addresses;
}

describePage('rich answers', ({ set }) => {
  test('streams formulas, diagrams, tables, footnotes, alerts, sections and sources', async () => {
    const { promise: until, resolve: release } = Promise.withResolvers<void>();
    // In the middle of the diagram.
    const behind = Math.floor(RICH_ANSWER.indexOf('Cached?') / RICH_PIECE);
    const stage = await set(() => richReply({ hold: { behind, until } }));
    const page = await stage.open();
    const elsewhere = listenForRequests(page);
    const chat = chatPage(page);
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
    const { messages } = chat;
    await chat.send('Show me everything.');
    await showsFormulasWhileStreaming();
    await showsSourceOfOpenDiagram();
    release();
    await chat.waitUntilIdle();
    await drawsDiagram();
    await showsAlertsAndSections();
    await followsFootnotesAndSources();
    await sortsTableAndCopiesIt();
    await changesCodeBlocks();
    await keepsDirections();
    await isAccessible();
    expect(elsewhere).toEqual([]);

    async function showsFormulasWhileStreaming(): Promise<void> {
      await messages.locator('.katex').nth(3).waitFor();
      const text = await chat.text();
      expect(text).toContain('costs $5 to $10');
      expect(text).toContain('echo $HOME/$USER');
      expect(await messages.locator('.katex math').count()).toBe(4);
      await messages.getByText('Invalid formula: Undefined control sequence: \\notacommand').waitFor();
      expect(await messages.locator('.md-bad').innerText()).toBe(String.raw`\notacommand{x}`);
      // Its fonts are served by Toolyard: the policy of the page allows no other.
      const family = await messages
        .locator('.katex')
        .first()
        .evaluate((node) => getComputedStyle(node).fontFamily);
      expect(family).toContain('KaTeX_Main');
      await eventually(() =>
        page.evaluate<boolean>(
          "[...document.fonts].some(({ family, status }) => /KaTeX/.test(family) && status === 'loaded')",
        ),
      );
    }

    async function showsSourceOfOpenDiagram(): Promise<void> {
      await messages.getByText('accTitle: How a request travels').waitFor();
      expect(await messages.getByRole('button', { name: 'Show source' }).count()).toBe(0);
    }

    async function drawsDiagram(): Promise<void> {
      const diagram = messages.getByRole('button', { name: 'Diagram: How a request travels' });
      // It is drawn where it can be seen; the rest of the answer may have arrived at once.
      const source = messages.getByText('accTitle: How a request travels');
      await scrollTo(diagram.or(source).first());
      await diagram.waitFor();
      await eventually(() =>
        diagram.locator('img').evaluate((image: { naturalWidth?: number }) => (image.naturalWidth ?? 0) > 100),
      );
      const light = await diagram.locator('img').getAttribute('src');
      expect(decodeURIComponent(light ?? '')).not.toMatch(/<script|foreignObject|https?:\/\/(?!www\.w3\.org)/);
      await page.emulateMedia({ colorScheme: 'dark' });
      await eventually(async () => (await diagram.locator('img').getAttribute('src')) !== light);
      await page.emulateMedia({ colorScheme: 'light' });
      await diagram.click();
      const large = page.getByRole('dialog').getByRole('img', { name: 'Diagram: How a request travels' });
      await large.waitFor();
      const fitted = (await large.boundingBox())?.width ?? 0;
      await page.getByRole('button', { name: 'Zoom in' }).click();
      await eventually(async () => ((await large.boundingBox())?.width ?? 0) > 1.5 * fitted);
      await page.keyboard.press('Escape');
      await messages.getByRole('button', { name: 'Show source' }).click();
      await messages.getByText('accTitle: How a request travels').waitFor();
      await messages.getByRole('button', { name: 'Show diagram' }).click();
      await diagram.waitFor();
    }

    async function showsAlertsAndSections(): Promise<void> {
      await messages.locator('[data-alert=warning]').getByText('Warning', { exact: true }).waitFor();
      await messages.locator('[data-alert=tip]').getByText('Tip', { exact: true }).waitFor();
      const hidden = messages.getByText('Hidden text with');
      expect(await hidden.isVisible()).toBe(false);
      await messages.getByText('Further details').press('Enter');
      await hidden.waitFor();
    }

    async function followsFootnotesAndSources(): Promise<void> {
      const path = page.url();
      const reference = messages.locator('a[aria-label="Footnote 1"]');
      await reference.press('Enter');
      const note = messages.locator('[aria-label=Footnotes] li');
      await eventually(() => note.evaluate((node) => node === document.activeElement));
      expect(await note.innerText()).toContain('Area of a circle');
      await messages.getByRole('button', { name: 'Back to the text of footnote 1' }).press('Enter');
      await eventually(() => reference.evaluate((node) => node === document.activeElement));
      expect(page.url()).toBe(path);
      const source = messages.getByRole('link', { name: 'Source 2: Wind <b>report</b> (wind.example.net)' });
      expect(await source.getAttribute('href')).toBe('https://wind.example.net/');
    }

    async function sortsTableAndCopiesIt(): Promise<void> {
      const table = messages.getByRole('table').first();
      const cities = () => table.locator('tbody td:first-child').allInnerTexts();
      const sort = table.getByRole('button', { name: 'Sort by Population' });
      await sort.press('Enter');
      expect(await cities()).toEqual(['=1+1', 'Oslo', 'Taipei', 'Berlin']);
      await sort.press('Enter');
      expect(await cities()).toEqual(['Berlin', 'Taipei', 'Oslo', '=1+1']);
      expect(await table.getByRole('columnheader', { name: /Population/ }).getAttribute('aria-sort')).toBe(
        'descending',
      );
      await messages.getByRole('button', { name: 'Copy as CSV' }).first().press('Enter');
      await messages.getByRole('button', { name: 'Copied' }).waitFor();
      expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(
        'City,Population,Founded\r\nBerlin,"3,700,000",1237\r\nTaipei,"2,600,000",1709\r\nOslo,"709,000",1048\r\n' +
          '\'=1+1,"1,000",1900',
      );
      const wide = messages.getByRole('group', { name: 'Table' }).nth(1);
      await eventually(async () => (await wide.getAttribute('data-clipped')) === 'right');
      expect(await wide.getAttribute('tabindex')).toBe('0');
      await wide.evaluate((node: { scrollLeft: number }) => (node.scrollLeft = 10_000));
      await eventually(async () => (await wide.getAttribute('data-clipped')) === 'left');
    }

    async function changesCodeBlocks(): Promise<void> {
      const code = messages.getByRole('group', { name: 'Code' }).first();
      await eventually(async () => (await code.getAttribute('data-clipped')) === 'right');
      await messages.getByRole('button', { name: 'Wrap lines' }).first().press('Enter');
      await eventually(async () => (await code.getAttribute('data-clipped')) === '');
      await messages.getByRole('button', { name: 'Line numbers' }).first().press('Enter');
      expect(await code.locator('.md-line').count()).toBe(2);
      const saved = page.waitForEvent('download');
      await messages.getByRole('button', { name: 'Download code' }).first().press('Enter');
      expect((await saved).suggestedFilename()).toBe('code.ts');
      // Remembered for the next visit.
      await page.reload();
      await chat.reads('Rich answer');
      await eventually(async () => (await messages.locator('.md-line').count()) === 2);
    }

    async function keepsDirections(): Promise<void> {
      const readDirection = (text: string) =>
        messages.getByText(text).evaluate((node) => getComputedStyle(node).direction);
      expect(await readDirection('مرحبا بالعالم')).toBe('rtl');
      expect(await readDirection('أول بند')).toBe('rtl');
      expect(await readDirection('اسم')).toBe('rtl');
      expect(await readDirection('Read the manual')).toBe('ltr');
      // An item in the other direction stays at the side of its bullet.
      const alignment = (text: string) => messages.getByText(text).evaluate((node) => getComputedStyle(node).textAlign);
      expect(await alignment('second item!')).toBe('right');
      expect(await alignment('قيمة')).toBe('right');
      expect(await alignment('Berlin')).toMatch(/left|start/);
    }

    async function isAccessible(): Promise<void> {
      expect(await axeFinds(page)).toEqual([]);
      await page.emulateMedia({ colorScheme: 'dark' });
      await eventually(async () => (await page.locator('html').getAttribute('data-theme')) === 'dark');
      expect(await axeFinds(page)).toEqual([]);
    }
  });

  test('keeps the end of a long stored answer in place while the rest of it is rendered', async () => {
    const sections = Array.from(
      { length: 60 },
      (_, part) => `## ${String(part)}\n\n- *one*\n- two\n\n\`\`\`\n${String(part)}\n\`\`\``,
    );
    const ends = [
      'The end.',
      `${'word **bold** and more of it '.repeat(1_500)} The end.`,
      '> Quoted.\n>\n> The end.',
      'A[^a].\n\n[^a]: The end.',
    ];
    const { open, server } = await set(({ body }) => {
      const end = ends[Number(/End (\d)/.exec(JSON.stringify(body))?.[1])];
      return reply.text(
        end === undefined ? 'Short $x$[^a].\n\n```\nx\n```\n\n[^a]: note' : [...sections, end].join('\n\n'),
        { pieces: 5_000 },
      );
    });
    const page = await open();
    const chat = chatPage(page);
    await chat.send('What answers need is loaded.');
    await chat.reads('Short');
    await chat.waitUntilIdle();
    const short = await chat.path();
    for (const index of ends.keys()) {
      const { id } = await call<{ id: string }>(server.url, 'POST', '/api/conversations', {});
      const parts = [{ type: 'text', text: `End ${String(index)}` }];
      await call(server.url, 'POST', `/api/conversations/${id}/messages`, { parts });
      await eventually(
        async () => (await call<ConversationView>(server.url, 'GET', `/api/conversations/${id}`)).activeRun === null,
      );
      await page.evaluate(WATCH_END);
      await page.locator(`a[href="/c/${id}"]`).click();
      await chat.reads(/The end\./);
      await messagesAreComplete();
      const { moved, places } = await page.evaluate<{ moved: number; places: number[] }>('window.endWatch()');
      expect([moved < 0.05, places.length], `end ${String(index)}: ${String(moved)} ${String(places)}`).toEqual([
        true,
        1,
      ]);
      await page.locator(`a[href="${short}"]`).click();
      await chat.reads('Short');
    }

    async function messagesAreComplete(): Promise<void> {
      await page.locator('[role=log] [data-late]').first().waitFor({ state: 'detached' });
      await page.evaluate(
        'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 50))))',
      );
    }
  });

  test('draws diagrams of any kind in the width of the chat, with text of one size', async () => {
    const kinds = [
      'gantt\n title Plan of another year\n section A\n Task :a1, 2001-01-01, 30d',
      'pie title Pets\n "Dogs" : 3\n "Cats" : 1',
      'journey\n title A day\n section Work\n Tea: 5: Me',
      'quadrantChart\n title Reach\n quadrant-1 Expand\n A: [0.3, 0.6]',
    ];
    const stage = await set(() => reply.text(kinds.map((kind) => `${'```'}mermaid\n${kind}\n${'```'}`).join('\n\n')));
    const page = await stage.open('/', { viewport: { width: 1000, height: 2600 } });
    await chatPage(page).send('Draw.');
    const images = page.locator('.md-diagram img');
    await eventually(async () => (await images.count()) === kinds.length);
    for (const image of await images.all()) {
      const source = decodeURIComponent((await image.getAttribute('src')) ?? '');
      expect(Number(/\swidth="(\d+)"/.exec(source)?.[1])).toBeLessThan(1_300);
      const sizes = [...source.matchAll(/font-size[:=]\s*"?(\d+)(?:px|[";])/g)].map(([, size]) => Number(size));
      expect(sizes.filter((size) => size > 18)).toEqual([]);
    }
  });

  test('executes and requests nothing of a hostile answer', async () => {
    const stage = await set(() => hostileReply());
    const page = await stage.open();
    const elsewhere = listenForRequests(page);
    const chat = chatPage(page);
    const { messages } = chat;
    await chat.send('Attack me.');
    await chat.waitUntilIdle();
    await messages.getByText('This diagram could not be drawn').waitFor();
    await scrollTo(messages.locator('.md-diagram'));
    await messages.locator('.md-diagram img').waitFor();
    await messages.getByText('Invalid formula').first().waitFor();
    const image = decodeURIComponent((await messages.locator('.md-diagram img').getAttribute('src')) ?? '');
    expect(image).toContain('hostile');
    expect(image).not.toMatch(/url\(["']?https?:|href=|javascript:|<foreignObject|<image|<a\b|<[^>]*\son\w+=/);
    const dangerous = await page.evaluate<
      string[]
    >(`[...document.querySelectorAll('main [aria-label=Messages] *')].flatMap((node) => [
      ...(['script', 'iframe', 'object', 'embed', 'form'].includes(node.localName) ? [node.localName] : []),
      ...[...node.attributes].filter((one) => one.name.startsWith('on') || /^\\s*javascript:/i.test(one.value)).map((one) => one.name),
    ])`);
    expect(dangerous).toEqual([]);
    expect(await messages.locator('img:not(.md-diagram img)').count()).toBe(0);
    expect(await page.evaluate(() => 'pwned' in globalThis)).toBe(false);
    expect(elsewhere).toEqual([]);
  });

  test('loads images of another host after a click, once per host', async () => {
    const text =
      'A ![red dot](https://img.example/red.png) and [![blue](https://img.example/blue.png)](https://docs.example/).\n\n' +
      '![inner](http://127.0.0.1:9/secret.png)';
    const stage = await set(() => reply.text(text));
    const page = await stage.open();
    const elsewhere = listenForRequests(page);
    const asked: string[] = [];
    await page.route('**/api/images', async (route) => {
      const { url } = route.request().postDataJSON() as { url: string };
      // The server refuses the address of a machine in its own network.
      if (!url.startsWith('https://img.example/')) return route.continue();
      asked.push(url);
      await route.fulfill({ contentType: 'image/png', body: DOT });
    });
    const chat = chatPage(page);
    await chat.send('Show me dots.');
    await chat.waitUntilIdle();
    const red = chat.messages.getByRole('button', { name: /red dot/ });
    await red.getByText('Load image from img.example').waitFor();
    await chat.messages.getByRole('link', { name: 'docs.example' }).waitFor();
    expect(asked).toEqual([]);
    await red.press('Enter');
    for (const name of ['red dot', 'blue']) await chat.messages.getByRole('img', { name }).waitFor();
    expect(asked.toSorted()).toEqual(['https://img.example/blue.png', 'https://img.example/red.png']);

    await chat.messages.getByRole('button', { name: /inner/ }).press(' ');
    await chat.messages.getByText('http://127.0.0.1:9 is an address of this machine').waitFor();

    await page.reload();
    for (const name of ['red dot', 'blue']) await chat.messages.getByRole('img', { name }).waitFor();
    expect(await axeFinds(page)).toEqual([]);
    const path = await chat.path();
    await page.goto(new URL('/settings/permissions', page.url()).href);
    await page.getByRole('button', { name: 'Remove img.example' }).click();
    await page.getByRole('button', { name: 'Remove img.example' }).waitFor({ state: 'detached' });
    await page.goto(new URL(path, page.url()).href);
    await red.getByText('Load image from img.example').waitFor();
    expect(elsewhere).toEqual([]);
  });
});

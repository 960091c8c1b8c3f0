import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { reply } from '@toolyard/testing';
import { axeFinds } from './axe.ts';
import { chatPage } from './chat-page.ts';
import { describeInBrowser } from './page-stage.ts';
import type { Stage } from './stage.ts';
import { setStage } from './stage.ts';

const ANSWER = [
  '## A heading\n\nSome **bold** and `code`, [a link](https://example.org), 台北今天下雨。',
  '1. one\n2. two\n   - nested\n\n> quoted\n\n- [x] done\n- [ ] open',
  '| City | Time |\n|---|---:|\n| Tokyo | 12:00 |',
  '```ts\nconst answer: number = 42; // comment\n```',
  `A word without end: ${'x'.repeat(300)}`,
].join('\n\n');

/** What another colour scheme may break. */
const COLOURS = ['color-contrast', 'link-in-text-block'];

type Messages = { messages: { role: string }[] };

/** What is checked of the looks of the page. */
export type Looks = {
  /** True: on an emulated phone; otherwise a narrow window of the same browser must do. */
  phone: boolean;
  locales: readonly string[];
};

/** Opens every place of the page and looks for accessibility violations, overflow and untranslated texts. */
export function describeLooks({ phone, locales }: Looks): void {
  describeInBrowser('how the page looks', () => {
    let stage: Stage;
    let conversation = '';
    let asking = '';

    beforeAll(async () => {
      stage = await setStage(
        ({ body }) =>
          (body as Messages).messages.at(-1)?.role === 'tool'
            ? reply.text(ANSWER, { reasoning: 'A thought.' })
            : reply.toolCalls([{ name: 'count', arguments: { note: 'Please' } }], { reasoning: 'Another thought.' }),
        { servers: { counter: { behaviour: 'counting' } } },
      );
      const page = await stage.open();
      const chat = chatPage(page);
      await chat.send('台北今天天氣怎麼樣？');
      await page.getByRole('button', { name: 'Allow once' }).click();
      await chat.reads('A heading');
      await chat.rests();
      conversation = await chat.path();
      const other = await stage.openBeside(page, '/');
      await chatPage(other).send('Ask me.');
      await other.getByRole('button', { name: 'Allow once' }).waitFor();
      asking = await chatPage(other).path();
    });

    afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));
    afterAll(() => stage[Symbol.asyncDispose]());

    /** Where each is, and what is seen or done there. */
    const places: [name: string, path: () => string, go: (page: Page) => Promise<void>][] = [
      ['a new chat', () => '/', (page) => page.getByRole('textbox', { name: 'Message', exact: true }).waitFor()],
      [
        'a conversation',
        () => conversation,
        async (page) => {
          await chatPage(page).reads('A heading');
          await chatPage(page).unfoldAll();
        },
      ],
      [
        'a question',
        () => asking,
        async (page) => {
          await page.getByRole('button', { name: 'Allow once' }).waitFor();
        },
      ],
      [
        'arguments being changed',
        () => asking,
        async (page) => {
          await page.getByRole('button', { name: 'Change the arguments…' }).click();
          await page.getByLabel(/^note/).fill('Something else');
          await page.getByText('You changed 1 place').waitFor();
        },
      ],
      [
        'the inbox',
        () => '/inbox',
        async (page) => {
          await page.getByRole('article').getByRole('button', { name: 'Allow once' }).waitFor();
        },
      ],
      [
        'the steps of an answer',
        () => conversation,
        async (page) => {
          await page.getByRole('button', { name: 'What happened, step by step' }).click();
          await page.getByRole('list', { name: 'Steps' }).getByRole('button').first().click();
        },
      ],
      [
        'the context meter',
        () => conversation,
        async (page) => {
          await page.getByRole('button', { name: /^Context/ }).click();
          await page.getByRole('dialog').waitFor();
        },
      ],
      [
        'a message being edited',
        () => conversation,
        async (page) => {
          await chatPage(page).messages.getByRole('button', { name: 'Edit', exact: true }).first().click();
          await page.getByRole('textbox', { name: 'Edit the message' }).waitFor();
        },
      ],
      [
        'the parameters',
        () => '/',
        async (page) => {
          await page.getByRole('button', { name: 'Instructions and parameters' }).click();
          await page.getByRole('dialog').waitFor();
        },
      ],
      [
        'the model list',
        () => '/',
        async (page) => {
          await page.getByRole('button', { name: /Model: scripted/ }).click();
          await page
            .getByRole('searchbox', { name: 'Search models' })
            .or(page.getByPlaceholder('Search models'))
            .first()
            .waitFor();
        },
      ],
      [
        'the shortcuts',
        () => '/',
        async (page) => {
          await page.getByRole('textbox', { name: 'Message', exact: true }).waitFor();
          await page.locator('body').press('Tab');
          await page.keyboard.press('?');
          await page.getByRole('dialog').waitFor();
        },
      ],
      ...['general', 'models', 'tools', 'permissions', 'about'].map((section): (typeof places)[number] => [
        `settings: ${section}`,
        () => `/settings/${section}`,
        (page) => page.getByRole('main').getByRole('heading', { level: 2 }).waitFor(),
      ]),
      [
        'a bad address',
        () => '/nowhere/at/all',
        async (page) => {
          await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
        },
      ],
    ];

    const windows = new Map<string, Page>();
    /** In the window of this look. One for each is enough: it has the scripts of the page already, and goes on faster. */
    async function show(path: string, look: BrowserContextOptions): Promise<Page> {
      const key = JSON.stringify(look);
      const window = windows.get(key);
      if (window) {
        // Whatever the test before has opened is closed: the page is loaded again, from the cache of the browser.
        await window.goto(stage.line.url + path);
        return window;
      }
      const opened = await stage.open(path, look);
      windows.set(key, opened);
      return opened;
    }

    test.each(places)(
      'axe finds no violation in light and dark, and a narrow window no overflow: %s',
      async (_name, path, go) => {
        const page = await show(path(), {});
        await page.emulateMedia({ colorScheme: 'light' });
        await go(page);
        await coloursSettled(page);
        expect(await axeFinds(page)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'dark' });
        await coloursSettled(page);
        expect(await axeFinds(page, { rules: COLOURS })).toEqual([]);
        await page.setViewportSize({ width: 360, height: 740 });
        expect(await widthOf(page)).toBeLessThanOrEqual(360);
        await page.setViewportSize({ width: 1280, height: 720 });
      },
    );

    if (phone)
      test.each(places)('on a phone nothing is wider than the screen: %s', async (_name, path, go) => {
        const page = await show(path(), { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true });
        await go(page);
        expect(await widthOf(page)).toBeLessThanOrEqual(360);
      });

    test.each(locales)('no English is left in %s', async (locale) => {
      const page = await stage.open('/', { locale });
      const seen = new Map<string, string>();
      for (const path of [
        '/',
        conversation,
        asking,
        '/inbox',
        ...['general', 'models', 'tools', 'permissions', 'about'].map((section) => `/settings/${section}`),
        '/nowhere/at/all',
      ]) {
        await page.goto(stage.line.url + path);
        await page.locator('h1, h2, textarea').first().waitFor();
        for (const text of await settledTexts(page)) seen.set(text, path);
      }
      const english = await englishCatalogue();
      expect([...seen].filter(([text]) => english.has(text))).toEqual([]);
      expect(seen.size).toBeGreaterThan(60);
    });
  });
}

/** Colours change from one scheme to the other in a transition. */
async function coloursSettled(page: Page): Promise<void> {
  const moving = `document.getAnimations().filter(({ playState }) => playState === 'running').length`;
  await expect.poll(() => page.evaluate<number>(moving)).toBe(0);
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

/** What is loaded on demand comes after the first words. */
async function settledTexts(page: Page): Promise<string[]> {
  for (let before = await shownTexts(page); ;) {
    await page.waitForTimeout(250);
    const now = await shownTexts(page);
    if (now.length === before.length) return now;
    before = now;
  }
}

/** All words a person sees or hears: text, and what names and describes elements. */
function shownTexts(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(`(() => {
    const texts = [];
    for (const node of document.querySelectorAll('body *')) {
      for (const child of node.childNodes) if (child.nodeType === 3) texts.push(child.textContent.trim());
      for (const name of ['aria-label', 'title', 'placeholder', 'data-tip', 'alt']) {
        const value = node.getAttribute(name);
        if (value !== null) texts.push(value.trim());
      }
    }
    return texts.filter((text) => text !== '');
  })()`);
}

/** What the page says in English and otherwise in Chinese. */
async function englishCatalogue(): Promise<Set<string>> {
  const en = await namespaces('en');
  const zh = await namespaces('zh-Hant');
  const texts = new Set<string>();
  for (const [space, messages] of Object.entries(en)) {
    for (const [key, message] of Object.entries(messages)) {
      if (typeof message === 'string' && message !== zh[space]?.[key]) texts.add(message);
    }
  }
  return texts;
}

/** Every namespace of a language, also those that are loaded when something of them is shown. */
async function namespaces(locale: string): Promise<Record<string, Record<string, unknown>>> {
  const folder = new URL(`../../packages/web/src/lib/i18n/${locale}/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => !/^(index|late)\./.test(file));
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href) as Promise<object>));
  return Object.assign({}, ...modules) as Record<string, Record<string, unknown>>;
}

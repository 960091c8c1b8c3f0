import { readdirSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { AxeBuilder } from '@axe-core/playwright';
import { allowCallOf, FORM_SERVERS } from './asked-forms.ts';
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
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

type Messages = { messages: { role: string; content: unknown }[] };

/** The default of Playwright. */
const WINDOW = { width: 1280, height: 720 };

/** The variants of the page to check. */
export type PageVariants = {
  /** True: every view also in dark colours and on an emulated phone; false: only {@link SAMPLE} in dark colours. */
  everywhere: boolean;
  locales: readonly string[];
};

/** The conversations of the stage. */
type Conversations = { answered: string; asking: string; form: string };

/** A view of the page, and how a user gets to what it shows after its path has been opened. */
type View = { name: string; path: (of: Conversations) => string; show: (page: Page) => Promise<void> };

const SECTIONS = ['general', 'models', 'tools', 'permissions', 'about'];

/** Has the most kinds of text and code. */
const SAMPLE = 'a conversation while a message is edited, with the context meter';

const VIEWS: readonly View[] = [
  {
    name: 'a new chat with the model list',
    path: () => '/',
    show: async (page) => {
      await page.getByRole('button', { name: /Model: scripted/ }).click();
      await page.getByPlaceholder('Search models').first().waitFor();
    },
  },
  {
    name: 'the parameters',
    path: () => '/',
    show: async (page) => {
      await page.getByRole('button', { name: 'Instructions and parameters' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'the shortcuts',
    path: () => '/',
    show: async (page) => {
      await page.getByRole('button', { name: 'Keyboard shortcuts' }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: SAMPLE,
    path: ({ answered }) => answered,
    show: async (page) => {
      await chatPage(page).reads('A heading');
      await chatPage(page).unfoldAll();
      await chatPage(page).messages.getByRole('button', { name: 'Edit', exact: true }).first().click();
      await page.getByRole('textbox', { name: 'Edit the message' }).waitFor();
      await page.getByRole('button', { name: /^Context/ }).click();
      await page.getByRole('dialog').waitFor();
    },
  },
  {
    name: 'the steps of an answer',
    path: ({ answered }) => answered,
    show: async (page) => {
      await page.getByRole('button', { name: 'What happened, step by step' }).click();
      await page.getByRole('list', { name: 'Steps' }).getByRole('button').first().click();
    },
  },
  {
    name: 'a question whose arguments are being changed',
    path: ({ asking }) => asking,
    show: async (page) => {
      await page.getByRole('button', { name: 'Allow once' }).waitFor();
      await page.getByRole('button', { name: 'Change the arguments…' }).click();
      await page.getByLabel(/^note/).fill('Something else');
      await page.getByText('You changed 1 place').waitFor();
    },
  },
  {
    name: 'the inbox',
    path: () => '/inbox',
    show: (page) => page.getByRole('article').getByRole('button', { name: 'Allow once' }).waitFor(),
  },
  ...SECTIONS.map((section) => ({
    name: `settings: ${section}`,
    path: () => `/settings/${section}`,
    show: (page: Page) => page.getByRole('main').getByRole('heading', { level: 2 }).waitFor(),
  })),
  {
    name: 'an unknown path',
    path: () => '/nowhere/at/all',
    show: (page) => page.getByRole('heading', { name: 'There is no such page' }).waitFor(),
  },
];
/** Opens every view of the page and looks for accessibility violations, overflow and untranslated texts. */
export function describePageVariants({ everywhere, locales }: PageVariants): void {
  describeInBrowser('page layout', () => {
    let stage: Stage;
    let page: Page;
    let conversations: Conversations;

    beforeAll(async () => {
      stage = await setStage(script, {
        servers: { counter: { behaviour: 'counting' }, hotel: { behaviour: FORM_SERVERS.legacy } },
      });
      page = await stage.open();
      conversations = await startConversations(page);
    });

    afterEach(() => expect(stage.complaints.splice(0)).toEqual([]));
    afterAll(() => stage[Symbol.asyncDispose]());

    test.each(VIEWS)('has no accessibility violation, and no overflow in a narrow window: $name', async (view) => {
      await navigate(page, view.path(conversations));
      await view.show(page);
      await colorsSettled(page);
      expect(await violations(page)).toEqual([]);
      if (everywhere || view.name === SAMPLE) {
        await page.emulateMedia({ colorScheme: 'dark' });
        await colorsSettled(page);
        expect(await violations(page, COLOR_RULES)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'light' });
      }
      await page.setViewportSize({ width: 360, height: 740 });
      expect(await widthOf(page)).toBeLessThanOrEqual(360);
      await page.setViewportSize(WINDOW);
      await closeOverlays(page);
    });

    if (everywhere) {
      test.each(VIEWS)('fits the width of a phone: $name', async ({ path, show }) => {
        const options = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
        const phone = await stage.open(path(conversations), options);
        await show(phone);
        expect(await widthOf(phone)).toBeLessThanOrEqual(360);
        await phone.close();
      });
    }

    test.each(locales)('has no English text left in %s', async (locale) => {
      const translated = await stage.open('/', { locale });
      const seen = new Map<string, string>();
      const paths = ['/', ...Object.values(conversations), '/inbox', ...SECTIONS.map((one) => `/settings/${one}`)];
      for (const path of [...paths, '/nowhere/at/all']) {
        await navigate(translated, path);
        await translated.locator('h1, h2, textarea').first().waitFor();
        if (path === conversations.form) await submitEmptyForm(translated);
        for (const text of await settledTexts(translated)) seen.set(text, path);
      }
      const english = await englishCatalogue();
      expect([...seen].filter(([text]) => english.has(text))).toEqual([]);
      expect(seen.size).toBeGreaterThan(60);
    });
  });
}

const script: ModelScript = ({ body }) => {
  const last = (body as Messages).messages.at(-1);
  if (last?.role === 'tool') return reply.text(ANSWER, { reasoning: 'A thought.' });
  const name = JSON.stringify(last?.content).includes('book_room') ? 'book_room' : 'count';
  return reply.toolCalls([{ name, arguments: { note: 'Please' } }], { reasoning: 'Another thought.' });
};

async function startConversations(page: Page): Promise<Conversations> {
  const chat = chatPage(page);
  const allow = page.getByRole('button', { name: 'Allow once' });
  await chat.send('台北今天天氣怎麼樣？');
  await allow.click();
  await chat.reads('A heading');
  await chat.rests();
  const answered = await chat.path();
  await chat.anew();
  await allowCallOf('book_room', page);
  await page.getByText('asks you to fill in a form').waitFor();
  const form = await chat.path();
  await chat.anew();
  await chat.send('Ask me.');
  await allow.waitFor();
  return { answered, form, asking: await chat.path() };
}

/** By client-side navigation: loading the page again costs several times as much. */
async function navigate(page: Page, path: string): Promise<void> {
  await page.evaluate(`(() => {
    const link = Object.assign(document.createElement('a'), { href: ${JSON.stringify(path)} });
    document.body.append(link);
    link.click();
    link.remove();
  })()`);
  await page.waitForURL((url) => url.pathname === path);
}

/** Dialogs and menus: some survive a navigation. */
async function closeOverlays(page: Page): Promise<void> {
  const overlays = page.locator('dialog[open], [popover]:popover-open');
  for (let left = 5; left > 0 && (await overlays.count()) > 0; left--) await page.keyboard.press('Escape');
  expect(await overlays.count()).toBe(0);
}

/** Then the messages about missing values are shown. */
async function submitEmptyForm(page: Page): Promise<void> {
  const card = page.locator('[data-tool-card]');
  await card.locator('button[type=submit]').click();
  await card.locator('[aria-invalid=true]').first().waitFor();
}

/** Like `axeFinds`, but injects axe only once per document: that costs as much as a check. */
async function violations(page: Page, rules?: string[]): Promise<string[]> {
  const isInjected = await page.evaluate<boolean>(`'axe' in globalThis`);
  const axe = new AxeBuilder({ page, ...(isInjected && { axeSource: ';' }) });
  axe.options({ resultTypes: ['violations'] }).setLegacyMode();
  if (rules) axe.withRules(rules);
  const found = await axe.analyze();
  return found.violations.map(({ id, nodes }) => {
    return `${id}: ${nodes.map(({ html, failureSummary = '' }) => `${html} ${failureSummary}`).join('\n')}`;
  });
}

/** Colors change from one scheme to the other in a transition. */
async function colorsSettled(page: Page): Promise<void> {
  const moving = `document.getAnimations().filter(({ playState }) => playState === 'running').length`;
  await expect.poll(() => page.evaluate<number>(moving)).toBe(0);
}

function widthOf(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

/** Components loaded on demand appear after the first text. */
async function settledTexts(page: Page): Promise<string[]> {
  for (let before = await shownTexts(page); ;) {
    await page.waitForTimeout(250);
    const now = await shownTexts(page);
    if (now.length === before.length) return now;
    before = now;
  }
}

/** All words visible or announced to the user: text, labels and descriptions of elements. */
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

/** What the page shows in English, and in Chinese otherwise. */
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

/** Every namespace of a language, including those loaded on demand. */
async function namespaces(locale: string): Promise<Record<string, Record<string, unknown>>> {
  const folder = new URL(`../../packages/web/src/lib/i18n/${locale}/`, import.meta.url);
  const files = readdirSync(folder).filter((file) => !/^(index|late)\./.test(file));
  const modules = await Promise.all(files.map((file) => import(new URL(file, folder).href) as Promise<object>));
  return Object.assign({}, ...modules) as Record<string, Record<string, unknown>>;
}

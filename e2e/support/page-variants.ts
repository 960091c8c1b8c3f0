import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Page } from 'playwright-core';
import { AxeBuilder } from '@axe-core/playwright';
import { call } from './api.ts';
import { PREVIEW_COMPLAINTS } from './page-answer-views.ts';
import { describeInBrowser } from './page-stage.ts';
import type { PageTexts } from './page-texts.ts';
import { loadPageTexts, translatedTexts } from './page-texts.ts';
import type { Conversations, View } from './page-parts.ts';
import { closeOverlays, navigate } from './page-parts.ts';
import {
  MORE_VIEW_SERVERS,
  MORE_VIEWS,
  SAMPLE_VIEW,
  startConversations,
  startMoreConversations,
  VIEW_SERVERS,
  VIEWS,
  viewScript,
} from './page-views.ts';
import type { Stage } from './stage.ts';
import { setStage } from './stage.ts';

/** What another color scheme may break. */
const COLOR_RULES = ['color-contrast', 'link-in-text-block'];

/** The default of Playwright. */
const WINDOW = { width: 1280, height: 720 };
const PHONE = { width: 360, height: 740 };
const TABLET = { width: 820, height: 1180 };

/** The variants of the page to check. */
export type PageVariants = {
  /**
   * True: all views, also in dark colors and on an emulated phone; false: {@link VIEWS}, of which only
   * {@link SAMPLE_VIEW} in dark colors.
   */
  everywhere: boolean;
  locales: readonly string[];
};

/** Opens every view of the page and looks for accessibility violations, overflow and untranslated texts. */
export function describePageVariants({ everywhere, locales }: PageVariants): void {
  const views = everywhere ? [...VIEWS, ...MORE_VIEWS] : VIEWS;
  const servers = everywhere ? { ...VIEW_SERVERS, ...MORE_VIEW_SERVERS } : VIEW_SERVERS;
  describeInBrowser('page layout', () => {
    let stage: Stage;
    let page: Page;
    let texts: PageTexts;
    let conversations: Conversations;

    beforeAll(async () => {
      stage = await setStage(viewScript, { servers });
      texts = await loadPageTexts('en');
      page = await stage.open();
      conversations = await startConversations(page);
      if (everywhere) conversations = { ...conversations, ...(await startMoreConversations(page, stage)) };
    });

    beforeEach(async () => {
      // A view that failed may have left them.
      await page.emulateMedia({ colorScheme: 'light' });
      await page.setViewportSize(WINDOW);
      await closeOverlays(page);
    });
    afterEach(({ task }) => {
      // All views take many minutes, and a run that hangs has to name its view.
      if (everywhere) {
        const [problem] = task.result?.errors ?? [];
        process.stderr.write(`${String(task.result?.state)}: ${task.name}${problem ? `: ${problem.message}` : ''}\n`);
      }
      expect(stage.complaints.splice(0).filter((line) => !PREVIEW_COMPLAINTS.test(line))).toEqual([]);
    });
    afterAll(() => stage[Symbol.asyncDispose]());

    test.each(views)('has no accessibility violation, and no overflow in a narrow window: $name', async (view) => {
      await navigate(page, view.path(conversations));
      await view.show(page, texts);
      await colorsSettled(page);
      expect(await violations(page)).toEqual([]);
      if (everywhere || view.name === SAMPLE_VIEW) {
        await page.emulateMedia({ colorScheme: 'dark' });
        await colorsSettled(page);
        expect(await violations(page, COLOR_RULES)).toEqual([]);
        await page.emulateMedia({ colorScheme: 'light' });
      }
      if (everywhere) {
        await page.setViewportSize(TABLET);
        expect(await measureWidth(page)).toBeLessThanOrEqual(TABLET.width);
      }
      await page.setViewportSize(PHONE);
      expect(await measureWidth(page)).toBeLessThanOrEqual(PHONE.width);
      if (everywhere) {
        await colorsSettled(page);
        expect(await violations(page)).toEqual([]);
      }
      await page.setViewportSize(WINDOW);
      expect(await closeOverlays(page)).toBe(0);
    });

    if (everywhere) {
      const onPhones = views.filter(({ needsKeyboard }) => needsKeyboard !== true);
      test.each(onPhones)('fits the width of a phone: $name', async ({ path, show }) => {
        const options = { viewport: PHONE, hasTouch: true, isMobile: true };
        // What the last view left in the composer of a new chat.
        await call(stage.server.url, 'PUT', '/api/drafts/new', { text: '', attachments: [] });
        const phone = await stage.open(path(conversations), options);
        try {
          await show(phone, texts);
          expect(await measureWidth(phone)).toBeLessThanOrEqual(PHONE.width);
        } finally {
          await phone.close();
        }
      });
    }

    describe.each(locales)('in %s', (locale) => {
      const seen = new Set<string>();
      let english: Set<string>;
      let translated: Page;
      beforeAll(async () => {
        english = await translatedTexts();
        translated = await stage.open('/', { locale });
      });

      test.each([...listAddresses(views)])('has no English text left: %s', async (_, pathIn) => {
        const path = pathIn(conversations);
        await navigate(translated, path);
        await translated.locator('h1, h2, textarea').first().waitFor();
        if (path === conversations['form']) await submitEmptyForm(translated);
        const texts = await settledTexts(translated);
        for (const text of texts) seen.add(text);
        expect(texts.filter((text) => english.has(text))).toEqual([]);
      });

      test('has texts to check', async () => {
        await translated.close();
        expect(seen.size).toBeGreaterThan(60);
      });
    });
  });
}

/** The paths of views, by name; conversations that are not started yet are named. */
function listAddresses(views: readonly View[]): Map<string, View['path']> {
  const names = new Proxy<Conversations>({}, { get: (_, name) => `the chat ${String(name)}` });
  const form: View['path'] = (of) => of['form'] ?? '';
  return new Map([form, ...views.map(({ path }) => path)].map((path) => [path(names), path]));
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

/**
 * Colors change from one scheme to the other in a transition. It begins with the next frame, in which the page gets
 * the new scheme or width.
 */
async function colorsSettled(page: Page): Promise<void> {
  await page.evaluate(`new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))`);
  const moving = `document.getAnimations().filter(({ playState }) => playState === 'running').length`;
  await expect.poll(() => page.evaluate<number>(moving)).toBe(0);
}

function measureWidth(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth');
}

/** Parts that are loaded on demand appear after the first texts. */
async function settledTexts(page: Page): Promise<string[]> {
  for (let before = await shownTexts(page); ;) {
    await page.waitForTimeout(250);
    const now = await shownTexts(page);
    if (now.length === before.length) return now;
    before = now;
  }
}

/** All texts that a user sees or a screen reader announces. */
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

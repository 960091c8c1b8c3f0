import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import type { PageLocale, PageTexts } from '../support/page-texts.ts';
import { loadPageTexts } from '../support/page-texts.ts';
import type { Conversations, View } from '../support/page-parts.ts';
import { closeOverlays, navigate } from '../support/page-parts.ts';
import {
  IN_DOUBT_SERVERS,
  IN_DOUBT_VIEWS,
  MORE_VIEW_SERVERS,
  MORE_VIEWS,
  startCallInDoubt,
  startConversations,
  startMoreConversations,
  VIEW_SERVERS,
  VIEWS,
  viewScript,
} from '../support/page-views.ts';
import type { ServerProcess } from '../support/server.ts';
import type { Stage } from '../support/stage.ts';
import { setProcessStage, setStage } from '../support/stage.ts';
import { EMPTY_VIEWS, setEmptyStage, setSignInStage, signInViews } from './stages.ts';

/** Widths of the window, in CSS pixels. */
export const WIDTHS = [1440, 820, 390];
/** The width at which views are brought up. */
const WIDEST = 1440;
/** Widths of English pictures that are also taken in dark colors. */
const DARK_WIDTHS = [WIDEST, 390];
const HEIGHT = 900;
const LOCALES: Readonly<Record<PageLocale, string>> = { en: 'en-US', 'zh-Hant': 'zh-TW', 'zh-Hans': 'zh-CN' };
const SHOW_TIMEOUT_MS = 15_000;
const PICTURE_TIMEOUT_MS = 60_000;
/** A view on a busy machine; what takes longer hangs. */
const VIEW_DEADLINE_MS = 180_000;

type PictureOptions = {
  /** The folder of the pictures. */
  out: string;
  /** Only views whose name contains it. */
  only: string;
  locales: readonly PageLocale[];
  widths: readonly number[];
  dark: boolean;
  /** Reports each view when it is taken. */
  say: (line: string) => void;
};

/** A server, with the views that are taken of its page. */
type Scene<On extends Stage> = {
  set: () => Promise<On>;
  views: (stage: On) => readonly View[];
  /** Starts the conversations of the views. */
  start?: (page: Page, stage: On) => Promise<Conversations>;
};

/** Takes pictures of all views; returns the views that could not be shown, with the reasons. */
export async function takeViewPictures(options: PictureOptions): Promise<string[]> {
  const main: Scene<Stage> = {
    set: () => setStage(viewScript, { servers: { ...VIEW_SERVERS, ...MORE_VIEW_SERVERS } }),
    views: () => [...VIEWS, ...MORE_VIEWS],
    start: async (page, stage) => ({
      ...(await startConversations(page)),
      ...(await startMoreConversations(page, stage)),
    }),
  };
  const inDoubt: Scene<Stage<ServerProcess>> = {
    set: () => setProcessStage(viewScript, { servers: IN_DOUBT_SERVERS }),
    views: () => IN_DOUBT_VIEWS,
    start: startCallInDoubt,
  };
  return [
    ...(await takeScene(main, options)),
    ...(await takeScene(inDoubt, options)),
    ...(await takeScene({ set: setEmptyStage, views: () => EMPTY_VIEWS }, options)),
    ...(await takeScene({ set: setSignInStage, views: signInViews }, options)),
  ];
}

async function takeScene<On extends Stage>(scene: Scene<On>, options: PictureOptions): Promise<string[]> {
  await using stage = await scene.set();
  const views = scene.views(stage);
  if (!views.some(({ name }) => name.includes(options.only))) return [];
  const paths = (await scene.start?.(await stage.open(), stage)) ?? {};
  const problems: string[] = [];
  for (const locale of options.locales) {
    const page = await stage.open('/', { locale: LOCALES[locale] });
    problems.push(...(await takeAll(page, views, paths, locale, options)));
    await page.close();
  }
  return problems;
}

async function takeAll(
  page: Page,
  views: readonly View[],
  paths: Conversations,
  locale: PageLocale,
  { out, only, widths, dark, say }: PictureOptions,
): Promise<string[]> {
  const texts = await loadPageTexts(locale);
  page.setDefaultTimeout(SHOW_TIMEOUT_MS);
  const problems: string[] = [];
  const taken = views.filter(({ name }) => name.includes(only));
  for (const [index, view] of taken.entries()) {
    const from = performance.now();
    const seconds = (): string => `${((performance.now() - from) / 1000).toFixed(1)} s`;
    try {
      const reason = await within(VIEW_DEADLINE_MS, take(view));
      if (reason !== null) problems.push(`${locale}: ${view.name}: ${reason}`);
    } catch (thrown) {
      problems.push(`${locale}: ${view.name}: ${String(thrown)}`);
    }
    say(`${locale} ${String(index + 1)} of ${String(taken.length)}: ${view.name} (${seconds()})`);
  }
  return problems;

  async function take(view: View): Promise<string | null> {
    await page.setViewportSize({ width: WIDEST, height: HEIGHT });
    const reason = await show(page, view, paths, texts);
    for (const width of widths) {
      await page.setViewportSize({ width, height: HEIGHT });
      await save(page, out, `${locale}-${String(width)}`, view);
      if (!dark || locale !== 'en' || !DARK_WIDTHS.includes(width)) continue;
      await page.emulateMedia({ colorScheme: 'dark' });
      await save(page, out, `${locale}-${String(width)}-dark`, view);
      await page.emulateMedia({ colorScheme: 'light' });
    }
    await closeOverlays(page);
    return reason;
  }
}

/** Rejects if the work is not done in time. */
async function within<T>(ms: number, work: Promise<T>): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error(`took more than ${String(ms / 1000)} s`)), ms);
  try {
    return await Promise.race([work, promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns why the view could not be shown, or null. */
async function show(page: Page, view: View, paths: Conversations, texts: PageTexts): Promise<string | null> {
  try {
    await navigate(page, view.path(paths));
    await view.show(page, texts);
    return null;
  } catch (thrown) {
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

async function save(page: Page, out: string, folder: string, { name }: View): Promise<void> {
  mkdirSync(join(out, folder), { recursive: true });
  const path = join(out, folder, `${name.replaceAll(/\W+/g, '-')}.png`);
  await page.screenshot({ path, animations: 'disabled', timeout: PICTURE_TIMEOUT_MS });
}

import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import type { Context } from './visitor.ts';
import { getAddress, COMPOSER, openFreshContext, tracePage } from './visitor.ts';
import type { Watched } from './watch.ts';
import { beginWatch, endWatch, prepareWatch, watchFigures } from './watch.ts';

/** Opens a conversation of 10,000 messages: from the sidebar, and by URL with cached scripts. */
export async function measureOpen(context: Context): Promise<Figure[]> {
  const times = context.options.quick ? 5 : 10;
  const { conversation, lastWords, messages } = context.long;
  const visitor = await openFreshContext(context);
  const byUrl: number[] = [];
  const empty: number[] = [];
  const fromSidebar: number[] = [];
  let nodes = 0;
  try {
    // The first visit fills the browser's cache.
    for (let time = 0; time <= times; time++) {
      context.say(time === 0 ? 'a first visit' : `opening ${String(time)} of ${String(times)}`);
      const page = await visitor.newPage();
      await page.addInitScript(watchForWords, lastWords);
      await page.goto(getAddress(context, context.long), { waitUntil: 'commit' });
      await page.waitForFunction(() => 'shownAt' in globalThis, null, { polling: 50 });
      const shown = await page.evaluate(() => (globalThis as unknown as { shownAt: number }).shownAt);
      await page.waitForTimeout(300);
      nodes = await page.evaluate(() => document.querySelectorAll('*').length);
      await page.close();

      const other = await visitor.newPage();
      await other.addInitScript(watchForComposer, COMPOSER);
      await other.goto(context.url);
      const link = other.locator(`a[href$="${conversation}"]`).first();
      await link.waitFor();
      await other.waitForTimeout(300);
      const clicked = await link.evaluate(clickAndWait, lastWords);
      const composer = await other.evaluate(() => (globalThis as unknown as { composerAt: number }).composerAt);
      await other.close();
      if (time === 0) continue;
      byUrl.push(shown);
      empty.push(composer);
      fromSidebar.push(clicked);
    }
  } finally {
    await visitor.close();
  }
  const opening = `opening a conversation of ${String(messages)} messages`;
  return [
    sampled(`${opening} from the sidebar, until the last is seen`, fromSidebar, 'ms', { atMost: 300, of: { times } }),
    sampled(`${opening} by URL, until the last is seen`, byUrl, 'ms', { of: { times } }),
    sampled('baseline: a new chat by URL, until the composer is there', empty, 'ms'),
    figure('elements in the page then', nodes),
  ];
}

/** Opens a conversation with one long answer, and watches until all of it is rendered. */
export async function measureAnswer(context: Context): Promise<Figure[]> {
  const { conversation, lastWords, size } = context.answer;
  const watched: Watched[] = [];
  for (let time = 0; time < (context.options.quick ? 1 : 5); time++) {
    const visitor = await openFreshContext(context);
    try {
      const page = await visitor.newPage();
      await prepareWatch(page);
      // What answers need is loaded.
      await page.goto(getAddress(context, context.ordinary[0]));
      await page.getByText(context.ordinary[0].lastWords).first().waitFor();
      await page.waitForTimeout(1_000);
      const endTrace = await tracePage(context, page, 'answer');
      await beginWatch(page);
      await page.locator(`a[href$="${conversation}"]`).first().evaluate(clickAndWait, lastWords);
      await page.waitForFunction(() => document.querySelector('[role=log] [data-late]') === null);
      await page.waitForTimeout(300);
      watched.push(await endWatch(page));
      await endTrace();
    } finally {
      await visitor.close();
    }
  }
  return watchFigures(`opening an answer of ${String(size / 1000)} kB`, watched, { longTasks: 0 });
}

/** Runs in the page: measures from the start of the navigation until the text is visible. */
function watchForWords(words: string): void {
  const look = (): void => {
    const walker = document.createTreeWalker(document.body ?? document.documentElement, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
      if (!node.textContent?.includes(words)) continue;
      const place = node.parentElement?.getBoundingClientRect();
      if (place && place.height > 0 && place.bottom > 0 && place.top < innerHeight) {
        Object.assign(globalThis, { shownAt: performance.now() });
        return;
      }
    }
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

function watchForComposer(selector: string): void {
  const look = (): void => {
    if (document.querySelector(selector) === null) requestAnimationFrame(look);
    else Object.assign(globalThis, { composerAt: performance.now() });
  };
  requestAnimationFrame(look);
}

/** Runs in the page: milliseconds from the click until the list of messages ends in the words, in view. */
export function clickAndWait(link: Element, words: string): Promise<number> {
  return new Promise((resolve) => {
    const from = performance.now();
    const look = (): void => {
      const list = document.querySelector('[role=log]');
      const isShown =
        list?.textContent?.includes(words) === true && list.scrollTop + list.clientHeight > list.scrollHeight - 100;
      if (isShown) resolve(performance.now() - from);
      else requestAnimationFrame(look);
    };
    (link as HTMLElement).click();
    requestAnimationFrame(look);
  });
}

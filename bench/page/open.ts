import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import type { Context } from './visitor.ts';
import { openFreshContext } from './visitor.ts';
import { LAST_WORDS } from './fill.ts';

/** Opens a conversation of 10,000 messages by URL, with a warm cache. */
export async function measureOpen(context: Context): Promise<Figure[]> {
  const times = context.options.quick ? 3 : 10;
  const { conversation, messages } = context.long;
  const address = `${context.url}/c/${conversation}`;
  const visitor = await openFreshContext(context);
  const shown: number[] = [];
  let nodes = 0;
  try {
    // The first visit fills the browser's cache.
    for (let time = 0; time <= times; time++) {
      context.say(time === 0 ? 'a first visit' : `opening ${String(time)} of ${String(times)}`);
      const page = await visitor.newPage();
      await page.addInitScript(watchForLastWords, LAST_WORDS);
      await page.goto(address, { waitUntil: 'commit' });
      await page.waitForFunction(() => 'shownAt' in globalThis, null, { polling: 50 });
      if (time > 0) shown.push(await page.evaluate(() => (globalThis as unknown as { shownAt: number }).shownAt));
      await page.waitForTimeout(500);
      nodes = await page.evaluate(() => document.querySelectorAll('*').length);
      await page.close();
    }
  } finally {
    await visitor.close();
  }
  const measure = `opening a conversation of ${String(messages)} messages, until the last is seen`;
  return [sampled(measure, shown, 'ms', { of: { times } }), figure('elements in the page then', nodes)];
}

/** Runs in the page: measures from the start of the navigation until the text is visible. */
function watchForLastWords(words: string): void {
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

import type { Page } from 'playwright-core';

const FIRST_AHEAD_MS = 100;
const MOST_AHEAD_MS = 60_000;

/**
 * Pauses the installed clock of a page a moment ahead of its time: timers up to then fire. On a busy machine the page
 * may pass that moment before the command arrives, which then fails and is repeated with a later one.
 */
export async function pauseClock(page: Page): Promise<void> {
  for (let aheadMs = FIRST_AHEAD_MS; ; aheadMs *= 4) {
    try {
      return await page.clock.pauseAt((await page.evaluate<number>('Date.now()')) + aheadMs);
    } catch (error) {
      const hasPassed = error instanceof Error && error.message.includes('fast-forward to the past');
      if (!hasPassed || aheadMs > MOST_AHEAD_MS) throw error;
    }
  }
}

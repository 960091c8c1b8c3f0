import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeEach, expect } from 'vitest';
import { describeInBrowser } from './page-stage.ts';
import type { Stage } from './stage.ts';

/** Chromium paints without a GPU here: a small window saves a seventh of the CPU time of a test. */
export const SMALL_WINDOW = { viewport: { width: 800, height: 500 } };

/** What the tests of {@link describeOnSharedPage} have in common. */
export type SharedPage = {
  readonly stage: Stage;
  readonly page: Page;
  /** Replaces the page for the following tests; the previous one may be closed. */
  use: (page: Page) => void;
};

export type SharedPageOptions = {
  /** Creates the stage and opens the page; called again after a failed test. */
  open: () => Promise<{ stage: Stage; page: Page }>;
  /** Errors of the page that the tests expect. */
  expected?: RegExp;
};

/**
 * Tests that share a server and a page, because loading a page costs more than most tests. Each starts with a new chat
 * and must not depend on earlier ones. The first test, and the one after a failure, gets a new server and a new page. A
 * test fails if the page logs an unexpected error.
 */
export function describeOnSharedPage(
  name: string,
  { open, expected }: SharedPageOptions,
  body: (shared: SharedPage) => void,
): void {
  describeInBrowser(name, () => {
    let current: { stage: Stage; page: Page } | null = null;

    function opened(): { stage: Stage; page: Page } {
      if (!current) throw new Error('the shared page is available within tests only');
      return current;
    }

    beforeEach(async () => {
      if (current) await openNewChat(current.page);
      else current = await open();
    });

    afterEach(async ({ task }) => {
      const { stage } = opened();
      if (task.result?.state === 'fail') {
        await stage.screenshot(task.name);
        current = null;
        await stage[Symbol.asyncDispose]();
      }
      expectNoComplaints(stage);
    });

    afterAll(async () => {
      if (!current) return;
      await current.stage[Symbol.asyncDispose]();
      expectNoComplaints(current.stage);
    });

    function expectNoComplaints({ complaints }: Stage): void {
      expect(complaints.splice(0).filter((text) => expected?.test(text) !== true)).toEqual([]);
    }

    body({
      get stage() {
        return opened().stage;
      },
      get page() {
        return opened().page;
      },
      use: (page) => {
        opened().page = page;
      },
    });
  });
}

/** Only the new chat has this heading: the composer no longer belongs to the previous chat. */
async function openNewChat(page: Page): Promise<void> {
  if (new URL(page.url()).pathname === '/') return;
  await page.getByRole('link', { name: 'New chat' }).first().click();
  await page.getByRole('heading', { name: 'What would you like to do?' }).waitFor();
}

import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { eventually, reply } from '@toolyard/testing';
import { call } from './api.ts';
import { chatPage, countOccurrences } from './chat-page.ts';
import type { Stage } from './stage.ts';

const WORDS = 100;
const word = (index: number): string => `word${String(index).padStart(2, '0')}.`;
const ANSWER = Array.from({ length: WORDS }, (_, index) => word(index)).join(' ');
/** A piece of the answer is one word. */
const PIECE = `${word(0)} `.length;

/** What happens to a page in the middle of an answer, and to the server. */
export type Disturbance = { name: string; happens: (page: Page, stage: Stage) => Promise<void> };

export const reload: Disturbance = { name: 'reload', happens: async (page) => void (await page.reload()) };

export const back: Disturbance = {
  name: 'Back',
  async happens(page) {
    await page.goto(new URL('/inbox', page.url()).href);
    await page.goBack();
  },
};

export const lostNetwork: Disturbance = {
  name: 'network loss',
  async happens(page, { line }) {
    line.cut();
    await page.getByText('Connection to the server lost').first().waitFor();
    line.mend();
  },
};

/** A model whose answers stop after some of their words, until they are released. */
export function pausingModel(): { script: ModelScript; pauseBehind: (words: number) => () => void } {
  let hold: { behind: number; until: Promise<void> } | undefined;
  return {
    script: () => reply.text(ANSWER, { pieces: PIECE, ...(hold && { hold }) }),
    pauseBehind(words) {
      const { promise: until, resolve } = Promise.withResolvers<void>();
      hold = { behind: words, until };
      return resolve;
    },
  };
}

/**
 * Asks for an answer that stops at each of these moments, has everything happen to every page in turn, and lets it continue:
 * all pages show the text so far each time, and then the whole answer once. Returns the milliseconds until the text so far
 * was shown.
 */
export async function walkThroughRun(
  stage: Stage,
  pages: readonly Page[],
  { moments, disturbances }: { moments: readonly number[]; disturbances: readonly Disturbance[] },
  pauseBehind: (words: number) => () => void,
): Promise<{ what: string; ms: number }[]> {
  const times: { what: string; ms: number }[] = [];
  const [first, ...others] = pages;
  if (first === undefined) return times;
  for (const moment of moments) {
    const release = pauseBehind(moment);
    const chat = chatPage(first);
    await chat.anew();
    await chat.send(`Stop after ${String(moment)}`);
    // Some words before the moment: the page may show the last ones a little later.
    const soFar = word(Math.max(0, Math.floor(moment * 0.8) - 2));
    await chat.reads(new RegExp(soFar.replace('.', '\\.')));
    const path = await chat.path();
    for (const other of others) await other.goto(new URL(path, other.url()).href);
    for (const page of pages) {
      for (const { name, happens } of disturbances) {
        await happens(page, stage);
        const begin = performance.now();
        for (const shown of pages) await chatPage(shown).reads(new RegExp(soFar.replace('.', '\\.')));
        times.push({ what: `${name} after ${String(moment)} words`, ms: Math.round(performance.now() - begin) });
        expect(await chatPage(page).text()).not.toContain(word(WORDS - 1));
      }
    }
    release();
    for (const page of pages) {
      await chatPage(page).reads(new RegExp(word(WORDS - 1).replace('.', '\\.')));
      await chatPage(page).waitUntilIdle();
      const text = (await chatPage(page).text()).replaceAll(/\s+/g, ' ');
      expect(countOccurrences(ANSWER, text)).toBe(1);
    }
    const id = path.split('/').at(-1) ?? '';
    await eventually(async () => {
      const view = await call<ConversationView>(stage.server.url, 'GET', `/api/conversations/${id}`);
      return view.activeRun === null;
    });
  }
  return times;
}

import { expect, test } from 'vitest';
import type { ConversationView } from '@toolyard/protocol';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { call } from './support/api.ts';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

/** Two pieces of the same length; the second ends with `END`. */
const PIECE = 700;
const END = 'The end.';
const TEXT = 'abcdef '.repeat((2 * PIECE) / 7).slice(0, -END.length) + END;

/** The first piece, the second when `goOn` resolves, and then an answer that stays open. */
function inTwoPieces(goOn: Promise<void>): ModelScript {
  const open = { hold: { behind: 2, until: goOn }, thenSilence: true, finish: null, done: false };
  return () => reply.text(TEXT, { pieces: PIECE, ...open });
}

/** Records the length of the answer in every frame. */
const WATCH = `
  window.seenLengths = new Set();
  const look = () => {
    window.seenLengths.add(document.querySelector('article .md')?.textContent.length ?? 0);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

describePage('text that arrives in large pieces', (stages) => {
  /** How many lengths the answer had while its second piece appeared. */
  async function lengthsSeen(reducedMotion: 'reduce' | 'no-preference'): Promise<number> {
    const { promise, resolve: goOn } = Promise.withResolvers<void>();
    const { server, open } = await stages.set(inTwoPieces(promise));
    const { id } = await call<ConversationView>(server.url, 'POST', '/api/conversations', {});
    const page = await open(`/c/${id}`, { reducedMotion });
    const chat = chatPage(page);
    await chat.composer.waitFor();
    // A part of the page that is fetched with the first piece may arrive after the second one.
    await page.route('**/_app/**', (route) => route.abort());
    await page.evaluate(WATCH);
    await chat.send('Go on.');
    await chat.reads(/^abcdef/);
    goOn();
    await chat.reads(/The end\./);
    const seen = await page.evaluate<number[]>('[...window.seenLengths]');
    return seen.filter((length) => length > PIECE && length < TEXT.length - 1).length;
  }

  test('appears letter by letter, also where nothing more of the page can be loaded', async () => {
    expect(await lengthsSeen('no-preference')).toBeGreaterThan(4);
  });

  test('appears at once with reduced motion', async () => {
    expect(await lengthsSeen('reduce')).toBe(0);
  });
});

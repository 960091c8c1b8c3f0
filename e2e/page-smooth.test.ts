import { expect, test } from 'vitest';
import type { ModelReply } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { chatPage } from './support/chat-page.ts';
import { describePage } from './support/page-stage.ts';

/** Two chunks of the same length; the second ends with `END`. */
const PIECE = 700;
const END = 'The end.';
const TEXT = 'abcdef '.repeat((2 * PIECE) / 7).slice(0, -END.length) + END;

/** The first chunk, the second when `until` resolves, and then an answer that stays open. */
const inTwoPieces = (until: Promise<void>): ModelReply =>
  reply.text(TEXT, { pieces: PIECE, hold: { behind: 2, until }, thenSilence: true, finish: null, done: false });

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
  test('appears smoothly, even if no more code can be loaded, and at once with reduced motion', async () => {
    let held = Promise.withResolvers<void>();
    const { open } = await stages.set(() => inTwoPieces(held.promise));
    const page = await open('/', { reducedMotion: 'no-preference' });
    const chat = chatPage(page);

    /** The number of lengths the answer of a new chat had while its second chunk appeared. */
    async function lengthsSeen(): Promise<number> {
      held = Promise.withResolvers();
      await page.evaluate('window.seenLengths.clear()');
      await chat.send('Go on.');
      await chat.reads(/^abcdef/);
      held.resolve();
      await chat.reads(/The end\./);
      const seen = await page.evaluate<number[]>('[...window.seenLengths]');
      return seen.filter((length) => length > PIECE && length < TEXT.length - 1).length;
    }

    await chat.composer.waitFor();
    await page.evaluate(WATCH);
    // Code loaded with the first chunk may arrive after the second one.
    await page.route('**/_app/**', (route) => route.abort());
    expect(await lengthsSeen()).toBeGreaterThan(4);

    await page.unroute('**/_app/**');
    await chat.path();
    await chat.anew();
    await page.emulateMedia({ reducedMotion: 'reduce' });
    expect(await lengthsSeen()).toBe(0);
  });
});

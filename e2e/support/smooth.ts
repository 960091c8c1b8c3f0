import { afterEach } from 'vitest';
import type { ModelScript } from '@toolyard/testing';
import { reply } from '@toolyard/testing';
import { chatPage } from './chat-page.ts';
import { describeInBrowser } from './page-stage.ts';
import type { Stage } from './stage.ts';
import { setStage } from './stage.ts';

/** Two pieces of the same length, of which the second has the end in it. */
const PIECE = 700;
const TEXT = Array.from({ length: 2 * PIECE }, (_, index) => (index % 7 === 6 ? ' ' : 'abcdef'.charAt(index % 7))).join(
  '',
);
const END = 'The end.';

/** One piece, and when a test lets it go on the next, long before the answer is over. */
function inTwoPieces(goOn: Promise<void>): ModelScript {
  const open = { hold: { behind: 2, until: goOn }, thenSilence: true, finish: null, done: false };
  return (_request, index) =>
    index === 0 ? reply.text('Yes?') : reply.text(TEXT.slice(0, -END.length) + END, { pieces: PIECE, ...open });
}

/** Keeps every length the answer is seen at, frame by frame. */
const WATCH = `
  window.seenLengths = new Set();
  const look = () => {
    window.seenLengths.add([...document.querySelectorAll('article .md')].at(-1)?.textContent.length ?? 0);
    requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
`;

type LengthsSeen = (reducedMotion: 'reduce' | 'no-preference') => Promise<number>;

/** Tests of how the page shows text that arrives in large pieces. */
export function describeSmooth(body: (lengthsSeen: LengthsSeen) => void): void {
  describeInBrowser('text that comes in large pieces', () => {
    let stage: Stage | undefined;
    afterEach(async () => {
      await stage?.[Symbol.asyncDispose]();
      stage = undefined;
    });

    /** How many lengths the answer was seen at while its second piece appeared. */
    async function lengthsSeen(reducedMotion: 'reduce' | 'no-preference'): Promise<number> {
      const { promise, resolve: goOn } = Promise.withResolvers<void>();
      stage = await setStage(inTwoPieces(promise));
      const page = await stage.open('/', { reducedMotion });
      const chat = chatPage(page);
      // In a conversation that is open already: no message is drawn anew while one looks.
      await chat.send('Hello.');
      await chat.path();
      await chat.reads('Yes?');
      await chat.rests();
      await page.evaluate(WATCH);
      await chat.send('Go on.');
      await chat.reads(/^abcdef/);
      goOn();
      await chat.reads(/The end\./);
      const seen = await page.evaluate<number[]>('[...window.seenLengths]');
      return seen.filter((length) => length > PIECE && length < 2 * PIECE - 1).length;
    }

    body(lengthsSeen);
  });
}

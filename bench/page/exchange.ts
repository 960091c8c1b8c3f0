import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { PROVIDER } from '../mock-model/start.ts';
import { ANSWER_TOKENS, TOKENS_A_SECOND, wordAt } from '../mock-model/texts.ts';
import type { Context } from './visitor.ts';
import { COMPOSER, openFreshContext } from './visitor.ts';

/** The first answers warm up: code of the server is compiled, what answers need is loaded by the page. */
const WARM_UP = 4;
/** Until the page is at rest, before and after an answer. */
const REST_MS = 700;
/** The model sends its first token after this time. */
const MODEL_MS = 1000 / TOKENS_A_SECOND;

/** The whole path: a message typed into the page, answered by a model with 200 tokens at 50 tokens per second. */
export async function measureExchange(context: Context): Promise<Figure[]> {
  const times = context.options.quick ? 3 : 20;
  const cpuMs: number[] = [];
  const idleMs: number[] = [];
  const firstWordMs: number[] = [];
  const visitor = await openFreshContext(context);
  try {
    for (let time = 1 - WARM_UP; time <= times; time++) {
      context.say(time < 1 ? 'warming up' : `answer ${String(time)} of ${String(times)}`);
      const page = await visitor.newPage();
      const measured = await exchange(context, page);
      await page.close();
      if (time < 1) continue;
      cpuMs.push(measured.cpuMs);
      idleMs.push(measured.idleMs);
      firstWordMs.push(measured.firstWordMs);
    }
  } finally {
    await visitor.close();
  }
  const answer = `an answer of ${String(ANSWER_TOKENS)} tokens, read by the page`;
  return [
    sampled(`${answer}: processor time of the server`, cpuMs, 'ms', { atMost: 40, of: { times } }),
    sampled('the same without an answer, for as long', idleMs, 'ms'),
    sampled(`${answer}: from Enter to its first word, beside the time of the model`, firstWordMs, 'ms', { atMost: 30 }),
  ];
}

async function exchange(
  { api, url, server }: Context,
  page: Page,
): Promise<{ cpuMs: number; idleMs: number; firstWordMs: number }> {
  const model = { providerId: PROVIDER, modelId: `steady-${String(ANSWER_TOKENS)}` };
  const conversation = await api.createConversation({ model });
  await page.goto(`${url}/c/${conversation}`);
  await page.waitForSelector(COMPOSER);
  await page.locator(COMPOSER).fill('Tell me a story.');
  await sleep(REST_MS);

  const before = await server.cpuMs();
  const begun = performance.now();
  await page.evaluate(watchForWord, wordAt(0).trim());
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => 'shownMs' in globalThis, null, { polling: 100 });
  const shownMs = await page.evaluate(() => (globalThis as unknown as { shownMs: number }).shownMs);
  await page.getByText(wordAt(ANSWER_TOKENS - 2).trim()).waitFor();
  await sleep(REST_MS);
  const after = await server.cpuMs();
  await sleep(performance.now() - begun);
  return { cpuMs: after - before, idleMs: (await server.cpuMs()) - after, firstWordMs: shownMs - MODEL_MS };
}

/** Runs in the page: measures from the press of Enter until a frame with the word was painted. */
function watchForWord(word: string): void {
  const onKey = ({ key, timeStamp }: KeyboardEvent): void => {
    if (key !== 'Enter') return;
    removeEventListener('keydown', onKey, true);
    const look = (): void => {
      if (document.querySelector('[role=log]')?.textContent?.includes(word) !== true) {
        requestAnimationFrame(look);
        return;
      }
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => void Object.assign(globalThis, { shownMs: performance.now() - timeStamp });
      port2.postMessage(null);
    };
    look();
  };
  addEventListener('keydown', onKey, true);
}

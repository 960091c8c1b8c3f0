import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { PROVIDER } from '../mock-model/start.ts';
import { sampleMarkdown } from '../support/sample-markdown.ts';
import type { Context } from './visitor.ts';
import { COMPOSER, counterOf, countersOf, openFreshContext } from './visitor.ts';
import type { Watched } from './watch.ts';
import { beginWatch, endWatch, prepareWatch, watchFigures } from './watch.ts';

/** Work of the browser during an answer. `busyPercent`: share of the main thread's time. */
type Answer = Watched & { busyPercent: number };

type Reader = 'the page' | 'marked, whole';

/**
 * An answer of 60 kB of Markdown at 500 tokens per second, read by the page and by a baseline in the same page, which
 * parses the whole text with `marked` once per frame and sets it as HTML, without highlighting or sanitizing.
 */
export async function measureStream(context: Context): Promise<Figure[]> {
  const size = 60_000;
  const rounds = context.options.quick ? 1 : 3;
  const watched: Record<Reader, Answer[]> = { 'the page': [], 'marked, whole': [] };
  for (let round = 0; round < rounds; round++) {
    for (const reader of round % 2 === 0
      ? (['the page', 'marked, whole'] as const)
      : (['marked, whole', 'the page'] as const)) {
      context.say(`round ${String(round + 1)} of ${String(rounds)}: ${reader}`);
      watched[reader].push(await watchAnswer(context, reader, size));
    }
  }
  const name = `${String(size / 1000)} kB at 500 tokens a second`;
  return (['the page', 'marked, whole'] as const).flatMap((reader) =>
    figuresOf(`${name}, ${reader}`, watched[reader], reader),
  );
}

async function watchAnswer(context: Context, reader: Reader, size: number): Promise<Answer> {
  const visitor = await openFreshContext(context);
  try {
    const { api, url } = context;
    const model = { providerId: PROVIDER, modelId: `markdown-${String(size)}` };
    const conversation = await api.createConversation({ model });
    const page = await visitor.newPage();
    await prepareWatch(page);
    await page.goto(reader === 'the page' ? `${url}/c/${conversation}` : url);
    await page.waitForSelector(COMPOSER);
    if (reader === 'marked, whole') await page.evaluate(markedSource());
    // Lazy modules are loaded, and the layout is stable.
    await page.waitForTimeout(1_000);

    const cdp = await countersOf(page);
    const run = await api.send(conversation, 'Write a long answer.');
    if (reader === 'marked, whole') await page.evaluate(readWithMarked, run);
    // From the first word on, because sending the first message changes the layout.
    let before = null as Promise<{ at: number; busySeconds: number }> | null;
    const begin = async (): Promise<{ at: number; busySeconds: number }> => {
      await beginWatch(page);
      return { at: performance.now(), busySeconds: await counterOf(cdp, 'TaskDuration') };
    };
    await api.read(run, (events) => {
      if (events.some(({ type }) => type === 'text_delta')) before ??= begin();
    });
    const begun = await (before ?? begin());
    await page.waitForTimeout(200);
    const seconds = (performance.now() - begun.at) / 1000;
    const seen = await endWatch(page);
    const busyPercent = (100 * ((await counterOf(cdp, 'TaskDuration')) - begun.busySeconds)) / seconds;
    await checkWhole(page, size);
    return { busyPercent, ...seen };
  } finally {
    await visitor.close();
  }
}

/** The page shows the end of the answer. */
async function checkWhole(page: Page, size: number): Promise<void> {
  const words = sampleMarkdown(size).match(/[a-z]{4,}/g) ?? [];
  const last = words.at(-2) ?? '';
  const text = await page.evaluate(() => document.body.textContent ?? '');
  if (!text.slice(-Math.max(4_000, size / 4)).includes(last))
    throw new Error(`the end of the answer is not shown: "${last}"`);
}

function figuresOf(name: string, watched: readonly Answer[], reader: Reader): Figure[] {
  return [
    sampled(
      `${name}: its thread is busy`,
      watched.map(({ busyPercent }) => busyPercent),
      '%',
    ),
    ...watchFigures(name, watched, reader === 'the page' ? { late: 1 } : {}),
  ];
}

function markedSource(): string {
  // The version that the page uses.
  const main = createRequire(new URL('../../packages/web/package.json', import.meta.url)).resolve('marked');
  return readFileSync(join(dirname(main), 'marked.umd.js'), 'utf8');
}

declare const marked: { parse(text: string): string };

/** Runs in the page: reads the run, and renders the whole text once a frame. */
function readWithMarked(run: string): void {
  const scroller = document.createElement('div');
  scroller.style.cssText = 'position:fixed;inset:0;overflow:auto;background:Canvas;z-index:999';
  const content = document.createElement('div');
  content.className = 'md';
  content.style.cssText = 'max-width:768px;margin:auto';
  scroller.append(content);
  for (const child of document.body.children) if (child instanceof HTMLElement) child.style.display = 'none';
  document.body.append(scroller);
  let text = '';
  let due = false;
  const source = new EventSource(`/api/runs/${run}/events`);
  source.addEventListener('run', ({ data }) => {
    const event = JSON.parse(String(data)) as { type: string; text?: string };
    if (event.type !== 'text_delta') return;
    text += event.text ?? '';
    if (due) return;
    due = true;
    requestAnimationFrame(() => {
      due = false;
      content.innerHTML = marked.parse(text);
      scroller.scrollTop = scroller.scrollHeight;
    });
  });
  source.addEventListener('end', () => source.close());
}

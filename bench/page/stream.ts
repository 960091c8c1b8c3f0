import type { Page } from 'playwright-core';
import type { Figure } from '../harness/figure.ts';
import { sampled } from '../harness/figure.ts';
import { PROVIDER } from '../mock-model/start.ts';
import { sampleMarkdown } from '../harness/sample-markdown.ts';
import type { Peer } from './peer-readers.ts';
import { peerName, PEERS, readerScript } from './peer-readers.ts';
import type { Context } from './visitor.ts';
import { COMPOSER, readCounter, openCounters, openFreshContext, tracePage } from './visitor.ts';
import type { Watched } from './watch.ts';
import { beginWatch, endWatch, prepareWatch, watchFigures } from './watch.ts';

/** Work of the browser during an answer. `cpuPercent`: CPU time of the main thread, in percent of the time. */
type Answer = Watched & { cpuPercent: number };

type Reader = 'the page' | Peer;

/**
 * An answer of 60 kB of Markdown at 500 tokens per second, read by the page and by other libraries in the same page, which
 * get the whole text once per frame, and neither highlight nor sanitize.
 */
export async function measureStream(context: Context): Promise<Figure[]> {
  const size = 60_000;
  const rounds = context.options.quick ? 1 : 3;
  const readers: readonly Reader[] = ['the page', ...PEERS];
  const idle: Watched[] = [];
  const watched = new Map<Reader, Answer[]>(readers.map((reader) => [reader, []]));
  for (let round = 0; round < rounds; round++) {
    idle.push(await watchIdle(context));
    for (const reader of round % 2 === 0 ? readers : readers.toReversed()) {
      context.say(`round ${String(round + 1)} of ${String(rounds)}: ${reader}`);
      watched.get(reader)?.push(await watchAnswer(context, reader, size));
    }
  }
  const name = `${String(size / 1000)} kB at 500 tokens a second`;
  return [
    ...watchFigures('baseline: the page at rest', idle),
    ...readers.flatMap((reader) => toFigures(name, reader, watched.get(reader) ?? [])),
  ];
}

/** The frames of a page in which nothing happens: those that are late are delayed by the machine. */
async function watchIdle(context: Context): Promise<Watched> {
  const visitor = await openFreshContext(context);
  try {
    const page = await visitor.newPage();
    await prepareWatch(page);
    await page.goto(context.url);
    await page.waitForSelector(COMPOSER);
    await page.waitForTimeout(1_000);
    await beginWatch(page);
    await page.waitForTimeout(5_000);
    return await endWatch(page);
  } finally {
    await visitor.close();
  }
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
    if (reader !== 'the page') await page.evaluate(await readerScript(reader));
    // Lazy modules are loaded, and the layout is stable.
    await page.waitForTimeout(1_000);

    const cdp = await openCounters(page);
    const endTrace = await tracePage(context, page, `stream-${reader.replace(/\W+/g, '-')}`);
    const run = await api.send(conversation, 'Write a long answer.');
    if (reader !== 'the page') await page.evaluate(readWithPeer, run);
    // From the first word on, because sending the first message changes the layout.
    let before = null as Promise<{ at: number; cpuSeconds: number }> | null;
    const begin = async (): Promise<{ at: number; cpuSeconds: number }> => {
      await beginWatch(page);
      return { at: performance.now(), cpuSeconds: await readCounter(cdp, 'ThreadTime') };
    };
    await api.read(run, (events) => {
      if (events.some(({ type }) => type === 'text_delta')) before ??= begin();
    });
    const begun = await (before ?? begin());
    await page.waitForTimeout(200);
    const seconds = (performance.now() - begun.at) / 1000;
    const seen = await endWatch(page);
    await endTrace();
    const cpuPercent = (100 * ((await readCounter(cdp, 'ThreadTime')) - begun.cpuSeconds)) / seconds;
    await checkWhole(page, size);
    return { cpuPercent, ...seen };
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

function toFigures(subject: string, reader: Reader, watched: readonly Answer[]): Figure[] {
  const isPage = reader === 'the page';
  const name = `${subject}, ${isPage ? reader : peerName(reader)}`;
  const cpu = watched.map(({ cpuPercent }) => cpuPercent);
  return [sampled(`${name}: CPU of its thread`, cpu, '%'), ...watchFigures(name, watched, isPage ? { late: 1 } : {})];
}

declare const createReader: (content: Element) => (text: string) => void;

/** Runs in the page: reads the run, and renders the whole text once a frame. */
function readWithPeer(run: string): void {
  const scroller = document.createElement('div');
  scroller.style.cssText = 'position:fixed;inset:0;overflow:auto;background:Canvas;z-index:999';
  const content = document.createElement('div');
  content.className = 'md';
  content.style.cssText = 'max-width:768px;margin:auto';
  scroller.append(content);
  for (const child of document.body.children) if (child instanceof HTMLElement) child.style.display = 'none';
  document.body.append(scroller);
  const show = createReader(content);
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
      show(text);
      scroller.scrollTop = scroller.scrollHeight;
    });
  });
  source.addEventListener('end', () => source.close());
}

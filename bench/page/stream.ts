import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { CDPSession, Page } from 'playwright-core';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import { PROVIDER } from '../mock-model/start.ts';
import { median, quantile } from '../support/quantile.ts';
import { sampleMarkdown } from '../support/sample-markdown.ts';
import type { Context } from './visitor.ts';
import { COMPOSER, openFreshContext } from './visitor.ts';

/** Work of the browser during an answer. */
type Watched = {
  /** Share of the main thread's time during the answer. */
  busyPercent: number;
  /** Milliseconds between two frames. */
  gaps: number[];
  longTasks: number[];
  shift: number;
};

type Reader = 'the page' | 'marked, whole';

/** One frame at 60 per second, plus clock tolerance. */
const LATE_FRAME_MS = 17.5;

/**
 * An answer of 60 kB of Markdown at 500 tokens per second, read by the page and by a baseline in the same page, which
 * parses the whole text with `marked` once per frame and sets it as HTML, without highlighting or sanitizing.
 */
export async function measureStream(context: Context): Promise<Figure[]> {
  const size = context.options.quick ? 15_000 : 60_000;
  const rounds = context.options.quick ? 1 : 3;
  const watched: Record<Reader, Watched[]> = { 'the page': [], 'marked, whole': [] };
  for (let round = 0; round < rounds; round++) {
    for (const reader of round % 2 === 0
      ? (['the page', 'marked, whole'] as const)
      : (['marked, whole', 'the page'] as const)) {
      context.say(`round ${String(round + 1)} of ${String(rounds)}: ${reader}`);
      watched[reader].push(await watchAnswer(context, reader, size));
    }
  }
  const name = `${String(size / 1000)} kB at 500 tokens a second`;
  return (['the page', 'marked, whole'] as const).flatMap((reader) => figuresOf(`${name}, ${reader}`, watched[reader]));
}

async function watchAnswer(context: Context, reader: Reader, size: number): Promise<Watched> {
  const visitor = await openFreshContext(context);
  try {
    const { api, url } = context;
    const model = { providerId: PROVIDER, modelId: `markdown-${String(size)}` };
    const conversation = await api.createConversation({ model });
    const page = await visitor.newPage();
    await page.addInitScript(installWatch);
    await page.goto(reader === 'the page' ? `${url}/c/${conversation}` : url);
    await page.waitForSelector(COMPOSER);
    if (reader === 'marked, whole') await page.evaluate(markedSource());
    // Lazy modules are loaded, and the layout is stable.
    await page.waitForTimeout(1_000);

    const profiler = await visitor.newCDPSession(page);
    await profiler.send('Performance.enable');
    const run = await api.send(conversation, 'Write a long answer.');
    if (reader === 'marked, whole') await page.evaluate(readWithMarked, run);
    // From the first word on, because sending the first message changes the layout.
    let before = null as Promise<{ at: number; busySeconds: number }> | null;
    const begin = async (): Promise<{ at: number; busySeconds: number }> => {
      await page.evaluate(() => watch.begin());
      return { at: performance.now(), busySeconds: await busySeconds(profiler) };
    };
    await api.read(run, (events) => {
      if (events.some(({ type }) => type === 'text_delta')) before ??= begin();
    });
    const begun = await (before ?? begin());
    await page.waitForTimeout(200);
    const seconds = (performance.now() - begun.at) / 1000;
    const seen = await page.evaluate(() => watch.end());
    const busyPercent = (100 * ((await busySeconds(profiler)) - begun.busySeconds)) / seconds;
    await checkWhole(page, size);
    return { busyPercent, ...seen };
  } finally {
    await visitor.close();
  }
}

async function busySeconds(profiler: CDPSession): Promise<number> {
  const { metrics } = await profiler.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN;
}

/** The page shows the end of the answer. */
async function checkWhole(page: Page, size: number): Promise<void> {
  const words = sampleMarkdown(size).match(/[a-z]{4,}/g) ?? [];
  const last = words.at(-2) ?? '';
  const text = await page.evaluate(() => document.body.textContent ?? '');
  if (!text.slice(-Math.max(4_000, size / 4)).includes(last))
    throw new Error(`the end of the answer is not shown: "${last}"`);
}

function figuresOf(name: string, watched: readonly Watched[]): Figure[] {
  const late = watched.map(({ gaps }) => (100 * gaps.filter((gap) => gap > LATE_FRAME_MS).length) / gaps.length);
  const gaps = watched.flatMap((one) => one.gaps);
  const longTasks = watched.map((one) => one.longTasks);
  return [
    sampled(
      `${name}: its thread is busy`,
      watched.map(({ busyPercent }) => busyPercent),
      '%',
    ),
    sampled(`${name}: frames over 16 ms`, late, '%', {
      of: { medianMs: median(gaps), p99Ms: quantile(gaps, 0.99), worstMs: Math.max(...gaps) },
    }),
    figure(`${name}: tasks over 50 ms`, median(longTasks.map(({ length }) => length)), '', {
      of: { longestMs: Math.max(0, ...longTasks.flat()) },
    }),
    figure(`${name}: layout shift`, median(watched.map(({ shift }) => shift))),
  ];
}

/** State that {@link installWatch} adds to the page. */
declare const watch: { begin(): void; end(): { gaps: number[]; longTasks: number[]; shift: number } };

/** Runs in the page before its scripts. */
function installWatch(): void {
  let gaps: number[] = [];
  let longTasks: number[] = [];
  let shift = 0;
  let before: number | null = null;
  let watching = false;
  new PerformanceObserver((list) => longTasks.push(...list.getEntries().map(({ duration }) => duration))).observe({
    type: 'longtask',
  });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) shift += (entry as unknown as { value: number }).value;
  }).observe({ type: 'layout-shift' });
  const frame = (now: number): void => {
    if (before !== null) gaps.push(now - before);
    before = now;
    if (watching) requestAnimationFrame(frame);
  };
  Object.assign(globalThis, {
    watch: {
      begin() {
        gaps = [];
        longTasks = [];
        shift = 0;
        before = null;
        watching = true;
        requestAnimationFrame(frame);
      },
      end() {
        watching = false;
        return { gaps, longTasks, shift };
      },
    },
  });
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

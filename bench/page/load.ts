import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import { servePlainPage } from './plain-page.ts';
import type { Context } from './visitor.ts';
import { COMPOSER, EARLY_COMPOSER, openFreshContext, slow, tracePage } from './visitor.ts';

const BUILD = new URL('../../packages/web/build/', import.meta.url);
const CPU_SLOWED = 4;

/** A first visit with a slowed CPU: bytes requested until the page is usable, and time until content is visible. */
export async function measureLoad(context: Context): Promise<Figure[]> {
  const visits = context.options.quick ? 4 : 10;
  await using plain = await servePlainPage();
  const paints: number[] = [];
  const plainPaints: number[] = [];
  const typable: number[] = [];
  const usable: number[] = [];
  let early: string[] = [];
  let all: string[] = [];
  for (let visit = 0; visit < visits; visit++) {
    context.say(`first visit ${String(visit + 1)} of ${String(visits)}`);
    const visitor = await openFreshContext(context);
    const page = await visitor.newPage();
    await slow(page, CPU_SLOWED);
    await page.addInitScript(watchForComposer, { selector: EARLY_COMPOSER, name: 'typable' });
    await page.addInitScript(watchForComposer, { selector: COMPOSER, name: 'usable' });
    const endTrace = await tracePage(context, page, `load-${String(visit)}`);
    await page.goto(context.url, { waitUntil: 'commit' });
    await page.waitForFunction(() => 'usable' in globalThis);
    await page.waitForLoadState('networkidle').catch(() => undefined);
    await endTrace();
    const seen = await page.evaluate(readVisit);
    typable.push(seen.typable);
    usable.push(seen.usable);
    paints.push(seen.paint);
    [early, all] = [seen.early, seen.all];
    await visitor.close();
    plainPaints.push(await measurePaint(context, plain.url));
  }
  return [
    figure('script requested before a user can write, gzip', kilobytes(early), 'kB', {
      atMost: 125,
      of: { files: early.length },
    }),
    figure('script requested once the network is idle, gzip', kilobytes(all), 'kB', { of: { files: all.length } }),
    sampled('first contentful paint, CPU slowed four times', paints, 'ms', { atMost: 1000, of: { visits } }),
    sampled('baseline: first contentful paint of a page of one sentence, CPU slowed four times', plainPaints, 'ms'),
    sampled('typed letters are shown, CPU slowed four times', typable, 'ms', { atMost: 1000 }),
    sampled('a user can write, CPU slowed four times', usable, 'ms', { atMost: 1500 }),
  ];
}

/** The first contentful paint of a first visit, in milliseconds. */
async function measurePaint(context: Context, url: string): Promise<number> {
  const visitor = await openFreshContext(context);
  try {
    const page = await visitor.newPage();
    await slow(page, CPU_SLOWED);
    await page.goto(url);
    await page.waitForFunction(readPaint);
    return (await page.evaluate(readPaint)) ?? Number.NaN;
  } finally {
    await visitor.close();
  }
}

/** Runs in the page. */
function readPaint(): number | undefined {
  return performance.getEntriesByName('first-contentful-paint')[0]?.startTime;
}

/** Runs in the page before its scripts: when a letter typed into the focused composer would be shown. */
function watchForComposer({ selector, name }: { selector: string; name: string }): void {
  const seen = new MutationObserver(() => {
    const field = document.querySelector(selector);
    if (field === null || document.activeElement !== field) return;
    seen.disconnect();
    const focusedAt = performance.now();
    // The handlers are attached with the element; the browser paints after the task that attached them.
    requestAnimationFrame(() => Object.assign(globalThis, { [name]: { focusedAt, shownAt: performance.now() } }));
  });
  seen.observe(document, { subtree: true, childList: true, attributes: true });
}

/** Runs in the page. */
function readVisit(): { typable: number; usable: number; paint: number; early: string[]; all: string[] } {
  type Times = { focusedAt: number; shownAt: number };
  const { typable, usable } = globalThis as unknown as { typable: Times; usable: Times };
  const scripts = performance
    .getEntriesByType('resource')
    .filter(({ name }) => new URL(name).pathname.endsWith('.js')) as PerformanceResourceTiming[];
  const listPaths = (some: readonly PerformanceResourceTiming[]) => some.map(({ name }) => new URL(name).pathname);
  return {
    typable: typable.shownAt,
    usable: usable.shownAt,
    paint: performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN,
    early: listPaths(scripts.filter(({ startTime }) => startTime < usable.focusedAt)),
    all: listPaths(scripts),
  };
}

function kilobytes(paths: readonly string[]): number {
  const bytes = [...new Set(paths)].reduce(
    (sum, path) => sum + gzipSync(readFileSync(fileURLToPath(new URL(`.${path}`, BUILD)))).length,
    0,
  );
  return bytes / 1000;
}

import type { Page } from 'playwright-core';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import { median, quantile } from '../harness/quantile.ts';

/** Frames and tasks of a page while it was watched. */
export type Watched = {
  /** Milliseconds between two frames. */
  gaps: number[];
  longTasks: number[];
  shift: number;
};

/** One frame at 60 per second, plus clock tolerance. */
const LATE_FRAME_MS = 17.5;

declare const watch: { begin(): void; end(): Watched };

/** Prepares a page, before its first navigation, for {@link beginWatch}. */
export const prepareWatch = (page: Page): Promise<unknown> => page.addInitScript(installWatch);
export const beginWatch = (page: Page): Promise<void> => page.evaluate(() => watch.begin());
export const endWatch = (page: Page): Promise<Watched> => page.evaluate(() => watch.end());

/** `atMost`: late frames in percent, and tasks over 50 ms. */
export function watchFigures(
  name: string,
  watched: readonly Watched[],
  atMost: { late?: number; longTasks?: number } = {},
): Figure[] {
  const late = watched.map(({ gaps }) => (100 * gaps.filter((gap) => gap > LATE_FRAME_MS).length) / gaps.length);
  const gaps = watched.flatMap((one) => one.gaps);
  const longTasks = watched.map((one) => one.longTasks);
  return [
    sampled(`${name}: frames over 16 ms`, late, '%', {
      ...(atMost.late !== undefined && { atMost: atMost.late }),
      of: { medianMs: median(gaps), p99Ms: quantile(gaps, 0.99), worstMs: Math.max(...gaps) },
    }),
    figure(`${name}: tasks over 50 ms`, median(longTasks.map(({ length }) => length)), '', {
      ...(atMost.longTasks !== undefined && { atMost: atMost.longTasks }),
      of: { longestMs: Math.max(0, ...longTasks.flat()) },
    }),
    figure(`${name}: layout shift`, median(watched.map(({ shift }) => shift))),
  ];
}

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

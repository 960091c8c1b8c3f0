import type { Page } from 'playwright-core';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import { quantile } from '../harness/quantile.ts';
import { clickAndWait } from './open.ts';
import type { Context } from './visitor.ts';
import { getAddress, afterPaint, COMPOSER, readCounter, openCounters, openFreshContext, tracePage } from './visitor.ts';
import { beginWatch, endWatch, prepareWatch, watchFigures } from './watch.ts';

const SCROLLED_PX = 48_000;
const SCROLL_SPEED_PX = 8_000;

/** Scrolls up through the long conversation, beyond the messages that were loaded first. */
export async function measureScroll(context: Context): Promise<Figure[]> {
  const visitor = await openFreshContext(context);
  try {
    const page = await visitor.newPage();
    await prepareWatch(page);
    await openLong(context, page);
    const cdp = await openCounters(page);
    const scroll = (yDistance: number) =>
      cdp.send('Input.synthesizeScrollGesture', {
        x: 700,
        y: 400,
        yDistance,
        speed: SCROLL_SPEED_PX,
        gestureSourceType: 'mouse',
      });
    // Warms up: the first code block loads the highlighter.
    await scroll(2_000);
    await page.waitForTimeout(500);
    let pages = 0;
    page.on('response', (response) => {
      if (response.url().includes(`${context.long.conversation}/messages`)) pages += 1;
    });
    const endTrace = await tracePage(context, page, 'scroll');
    await beginWatch(page);
    const busyBefore = await readCounter(cdp, 'ThreadTime');
    const from = performance.now();
    await scroll(SCROLLED_PX);
    const seconds = (performance.now() - from) / 1000;
    const busy = (100 * ((await readCounter(cdp, 'ThreadTime')) - busyBefore)) / seconds;
    const watched = await endWatch(page);
    await endTrace();
    if (pages === 0) throw new Error('scrolling up loaded no earlier messages');
    const name = `scrolling up ${String(SCROLLED_PX)} px`;
    return [
      figure(`${name}: CPU of its thread`, busy, '%', { of: { pages } }),
      ...watchFigures(name, [watched], { longTasks: 0 }),
    ];
  } finally {
    await visitor.close();
  }
}

/** Types into the composer of the long conversation. */
export async function measureType(context: Context): Promise<Figure[]> {
  const keys = context.options.quick ? 60 : 300;
  const visitor = await openFreshContext(context);
  try {
    const page = await visitor.newPage();
    await openLong(context, page);
    const cdp = await openCounters(page);
    await page.locator(COMPOSER).focus();
    await page.evaluate(watchKeys);
    const perKey: number[] = [];
    for (let key = 0; key < keys; key++) {
      const before = await readCounter(cdp, 'TaskDuration');
      await page.keyboard.press(key % 6 === 5 ? 'Space' : 'a');
      await page.evaluate(afterPaint);
      perKey.push(1000 * ((await readCounter(cdp, 'TaskDuration')) - before));
    }
    const handled = await page.evaluate(() => (globalThis as unknown as { handled: number[] }).handled);
    const written = await page.locator(COMPOSER).inputValue();
    if (written.length !== keys)
      throw new Error(`typed ${String(keys)} letters, but ${String(written.length)} arrived`);
    return [
      figure('typing in the longest chat: main thread for one letter, 95th percentile', quantile(perKey, 0.95), 'ms', {
        atMost: 16,
        of: { medianMs: quantile(perKey, 0.5), worstMs: Math.max(...perKey), keys },
      }),
      sampled('typing in the longest chat: from the key to the start of its frame', handled, 'ms', {
        of: { p95Ms: quantile(handled, 0.95) },
      }),
    ];
  } finally {
    await visitor.close();
  }
}

/** Runs in the page. */
function watchKeys(): void {
  const handled: number[] = [];
  document.addEventListener('input', ({ timeStamp }) => {
    requestAnimationFrame((frame) => handled.push(frame - timeStamp));
  });
  Object.assign(globalThis, { handled });
}

/** Switches between two conversations in the sidebar, and compares the memory at both ends. */
export async function measureSwitch(context: Context): Promise<Figure[]> {
  const switches = Number(context.options.values['switches'] ?? (context.options.quick ? 100 : 1_000));
  const warmUp = 20;
  const visitor = await openFreshContext(context);
  try {
    const page = await visitor.newPage();
    await page.goto(getAddress(context, context.ordinary[0]));
    const cdp = await openCounters(page);
    await cdp.send('HeapProfiler.enable');
    const memory = async () => {
      await cdp.send('HeapProfiler.collectGarbage');
      return { heap: await readCounter(cdp, 'JSHeapUsedSize'), nodes: await readCounter(cdp, 'Nodes') };
    };
    const times: number[] = [];
    let before = { heap: Number.NaN, nodes: Number.NaN };
    for (let time = 0; time < warmUp + switches; time++) {
      if (time === warmUp) before = await memory();
      if (time % 100 === 0) context.say(`switch ${String(time)} of ${String(warmUp + switches)}`);
      const target = context.ordinary[time % 2 === 0 ? 1 : 0];
      const link = page.locator(`a[href$="${target.conversation}"]`).first();
      const ms = await link.evaluate(clickAndWait, target.lastWords);
      if (time >= warmUp) times.push(ms);
    }
    const after = await memory();
    return [
      sampled('switching between two chats, until the last message is seen', times, 'ms', {
        atMost: 100,
        of: { p95Ms: quantile(times, 0.95), switches },
      }),
      figure(`memory after ${String(switches)} switches, growth`, (after.heap - before.heap) / 1e6, 'MB', {
        atMost: 1,
        of: {
          beforeMb: before.heap / 1e6,
          afterMb: after.heap / 1e6,
          nodes: after.nodes,
          moreNodes: after.nodes - before.nodes,
        },
      }),
    ];
  } finally {
    await visitor.close();
  }
}

async function openLong(context: Context, page: Page): Promise<void> {
  await page.goto(getAddress(context, context.long));
  await page.getByText(context.long.lastWords).first().waitFor();
  // Lazy modules are loaded, and the layout is stable.
  await page.waitForTimeout(500);
}

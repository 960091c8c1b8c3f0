import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'vitest';
import { stopBrowser } from './support/browser.ts';
import { describePage } from './support/page-stage.ts';
import type { Disturbance } from './support/walk-through-run.ts';
import { back, lostNetwork, pausingModel, reload, walkThroughRun } from './support/walk-through-run.ts';

const MOMENTS = [3, 10, 20, 30, 40, 50, 60, 70, 80, 90];
const ASLEEP_MS = 60_000;

const sleeps: Disturbance = {
  name: 'sleep of a minute',
  async happens(page) {
    const wake = await stopBrowser(page);
    await sleep(ASLEEP_MS).finally(wake);
  },
};

describePage('a page at ten moments of an answer', (stages) => {
  test(
    'continues after reload, Back, sleep, restart and network loss, in two browsers',
    { timeout: 3_600_000 },
    async () => {
      const { script, pauseBehind } = pausingModel();
      const stage = await stages.setProcess(script);
      const pages = [await stage.open(), await stage.open('/', {})];
      const restart: Disturbance = { name: 'restart', happens: () => stage.server.restart() };
      const common = [reload, back, lostNetwork, restart];
      const times = [
        ...(await walkThroughRun(stage, pages, { moments: MOMENTS, disturbances: common }, pauseBehind)),
        ...(await walkThroughRun(stage, pages.slice(0, 1), { moments: [50], disturbances: [sleeps] }, pauseBehind)),
      ];
      const slowest = times.toSorted((a, b) => b.ms - a.ms).slice(0, 10);
      process.stdout.write(`${JSON.stringify({ walks: times.length, slowest })}\n`);
    },
  );
});

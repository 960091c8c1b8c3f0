import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import type { Figure } from '../harness/figure.ts';
import { figure, sampled } from '../harness/figure.ts';
import type { Context } from './visitor.ts';
import { COMPOSER, openFreshContext } from './visitor.ts';

const BUILD = new URL('../../packages/web/build/', import.meta.url);

/** A first visit: bytes loaded until the page is usable, and time until content is visible. */
export async function measureLoad(context: Context): Promise<Figure[]> {
  const visits = context.options.quick ? 3 : 10;
  const paints: number[] = [];
  const usable: number[] = [];
  let early: string[] = [];
  let all: string[] = [];
  for (let visit = 0; visit < visits; visit++) {
    context.say(`first visit ${String(visit + 1)} of ${String(visits)}`);
    const visitor = await openFreshContext(context);
    const page = await visitor.newPage();
    const scripts: string[] = [];
    page.on('request', (request) => {
      if (request.resourceType() === 'script') scripts.push(new URL(request.url()).pathname);
    });
    await page.goto(context.url, { waitUntil: 'commit' });
    await page.waitForSelector(COMPOSER);
    usable.push(await page.evaluate(() => performance.now()));
    early = [...scripts];
    await page.waitForLoadState('networkidle').catch(() => undefined);
    all = [...scripts];
    paints.push(
      await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? Number.NaN),
    );
    await visitor.close();
  }
  return [
    figure('script loaded before a user can write, gzip', kilobytes(early), 'kB', {
      atMost: 150,
      of: { files: early.length },
    }),
    figure('script loaded once the network is idle, gzip', kilobytes(all), 'kB', { of: { files: all.length } }),
    sampled('first contentful paint', paints, 'ms', { of: { visits } }),
    sampled('a user can write', usable, 'ms'),
  ];
}

function kilobytes(paths: readonly string[]): number {
  const bytes = [...new Set(paths)].reduce(
    (sum, path) => sum + gzipSync(readFileSync(fileURLToPath(new URL(`.${path}`, BUILD)))).length,
    0,
  );
  return bytes / 1000;
}

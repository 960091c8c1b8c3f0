import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';
import { median, quartiles } from '../support/quantile.ts';
import type { Finding } from '../support/finding.ts';
import type { Context } from './context.ts';
import { COMPOSER, freshVisitor } from './context.ts';

const BUILD = new URL('../../packages/web/build/', import.meta.url);

/** A first visit: what is loaded before a person can write, and when something can be seen. */
export async function measureLoad(context: Context): Promise<Finding[]> {
  const visits = context.options.quick ? 3 : 10;
  const paints: number[] = [];
  const usable: number[] = [];
  let early: string[] = [];
  let all: string[] = [];
  for (let visit = 0; visit < visits; visit++) {
    context.say(`first visit ${String(visit + 1)} of ${String(visits)}`);
    const visitor = await freshVisitor(context);
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
    {
      part: 'load',
      measure: 'script loaded before somebody can write, gzip',
      value: kilobytes(early),
      unit: 'kB',
      atMost: 150,
      of: { files: early.length },
    },
    {
      part: 'load',
      measure: 'script loaded once it is quiet, gzip',
      value: kilobytes(all),
      unit: 'kB',
      of: { files: all.length },
    },
    {
      part: 'load',
      measure: 'first paint of content',
      value: median(paints),
      unit: 'ms',
      quartiles: quartiles(paints),
      of: { visits },
    },
    { part: 'load', measure: 'somebody can write', value: median(usable), unit: 'ms', quartiles: quartiles(usable) },
  ];
}

function kilobytes(paths: readonly string[]): number {
  const bytes = [...new Set(paths)].reduce(
    (sum, path) => sum + gzipSync(readFileSync(fileURLToPath(new URL(`.${path}`, BUILD)))).length,
    0,
  );
  return bytes / 1000;
}

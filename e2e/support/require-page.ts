import { existsSync } from 'node:fs';

const PAGE = new URL('../../packages/web/build/index.html', import.meta.url);

/** Vitest calls it before the first test in a browser: without the page, each would wait for its time limit. */
export function setup(): void {
  if (!existsSync(PAGE)) {
    throw new Error('The page is not built: `npm test -- FILE` builds it before it runs the tests.');
  }
}

import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { ROOT } from './run.ts';

/** The page's project loads the Svelte compiler. */
const PAGE_PROJECT = 'page';
const PAGE_FOLDER = 'packages/web/';
/** Folders whose tests never open the built page. */
const WITHOUT_BROWSER = ['packages/', 'servers/', 'scripts/', 'testing/', 'examples/'];

/** True if a file may be a browser test, which needs the built page. */
export function needsPage(filters: readonly string[]): boolean {
  return filters.some((filter) => {
    const path = relative(ROOT, resolve(ROOT, filter));
    return !WITHOUT_BROWSER.some((folder) => `${path}/`.startsWith(folder));
  });
}

/** Arguments for the Vitest projects that these files need; none (all projects) for partial paths. */
export function selectProjects(filters: readonly string[]): string[] {
  const paths = filters.map((filter) => relative(ROOT, resolve(ROOT, filter.replace(/:\d+$/, ''))));
  if (!paths.every((path) => existsSync(resolve(ROOT, path)))) return [];
  if (paths.every((path) => path.startsWith(PAGE_FOLDER))) return [`--project=${PAGE_PROJECT}`];
  const hasPage = paths.some((path) => `${path}/`.startsWith(PAGE_FOLDER) || PAGE_FOLDER.startsWith(`${path}/`));
  return hasPage ? [] : [`--project=!${PAGE_PROJECT}`];
}

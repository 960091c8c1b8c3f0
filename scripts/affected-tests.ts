import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, extname, join } from 'node:path';
import type { Imports } from './import-graph.ts';
import { reachedFrom } from './import-graph.ts';
import { ROOT } from './run.ts';
import type { TestKind } from './test-kinds.ts';
import { kindOf } from './test-kinds.ts';

/** Maximum unit test files to run: a change in a widely imported package affects hundreds. */
export const MOST_TESTS = 15;

/** Their tests start neither programs nor browsers. */
const UNIT_KINDS: readonly TestKind[] = ['packages', 'cli', 'page'];

export type Selected = {
  /** Tests that start neither programs nor browsers, nearest to the change first. */
  unit: string[];
  /** The others. */
  processes: string[];
};

const TEST = /\.test\.ts$/;
const SOURCE = /\.(ts|svelte)$/;

/** The test files that import a changed file, directly or not, or that name one that cannot be imported. */
export function affectedTests(changed: readonly string[], importers: Imports['importers']): Selected {
  const data = changed.filter((file) => !SOURCE.test(file) && extname(file) !== '.md').map((file) => basename(file));
  const reached = reachedFrom([...changed, ...filesNaming(data)], importers);
  const tests = [...reached]
    .filter(([file]) => TEST.test(file))
    .toSorted(([, one], [, other]) => one - other)
    .map(([file]) => file);
  const isUnit = (file: string): boolean => UNIT_KINDS.includes(kindOf(file)) && !file.endsWith('.long.test.ts');
  return { unit: tests.filter(isUnit), processes: tests.filter((file) => !isUnit(file)) };
}

/** Without those deleted by the change. */
export function existing(files: readonly string[]): string[] {
  return files.filter((file) => existsSync(join(ROOT, file)));
}

/** Sources that name one of these files: fixtures are read, not imported. */
function filesNaming(names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const sources = globSync(['{packages,servers}/*/src/**/*.ts', '{testing,e2e,scripts}/**/*.ts'], {
    cwd: ROOT,
    exclude: ['**/node_modules/**'],
  });
  return sources.filter((path) => {
    const text = readFileSync(join(ROOT, path), 'utf8');
    return names.some((name) => text.includes(name));
  });
}

import { relative } from 'node:path';
import type { TestSpecification } from 'vitest/node';
import { BaseSequencer } from 'vitest/node';
import { ROOT } from './run.ts';

/** Tests of whole processes take longest: begun last, one of them would keep a single core busy at the end. */
const LONG = /^(e2e|packages\/cli)\//;
const SHORT = /^packages\/web\//;

/**
 * Which files of tests are begun first. Vitest knows how long each took only where it has run before; in a fresh clone
 * it would take one project after the other. Browsers want processor time, and most other long tests wait: they are
 * begun in turns.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const isOf = (kind: RegExp) => (file: TestSpecification) => kind.test(relative(ROOT, file.moduleId));
    const browser = sorted.filter(({ project }) => project.name === 'browser');
    const others = sorted.filter(({ project }) => project.name !== 'browser');
    const long = others.filter(isOf(LONG));
    const short = others.filter(isOf(SHORT));
    const rest = others.filter((file) => !long.includes(file) && !short.includes(file));
    return [...inTurns(browser, long), ...rest, ...short];
  }
}

/** Both lists in one, each spread evenly over it. */
function inTurns<T>(one: readonly T[], other: readonly T[]): T[] {
  const places = [one, other].flatMap((list) => list.map((item, index) => ({ item, at: (index + 0.5) / list.length })));
  return places.toSorted((a, b) => a.at - b.at).map(({ item }) => item);
}
